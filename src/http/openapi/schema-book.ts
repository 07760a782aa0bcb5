import * as z from 'zod';
import { describeProperties } from './property-descriptions.js';

/** A JSON object of the document. */
export type Json = Record<string, unknown>;

/** Writes schemas as JSON Schema, and keeps those with a name, which are referred to. */
export class SchemaBook {
  readonly #named: Record<string, Json> = {};

  /** Named schemas so far, by name. */
  get named(): Readonly<Record<string, Json>> {
    return Object.fromEntries(
      Object.entries(this.#named).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  }

  /** What may be sent. */
  sent(schema: z.ZodType): Json {
    return this.#write(schema, 'input');
  }

  /** What is answered. */
  answered(schema: z.ZodType): Json {
    return this.#write(schema, 'output');
  }

  #write(schema: z.ZodType, io: 'input' | 'output'): Json {
    const text = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
    const { $schema, $defs, id, ...rest } = JSON.parse(
      text.replaceAll('#/$defs/', '#/components/schemas/'),
    ) as { $defs?: Record<string, Json> } & Json;
    for (const [name, { id: _, ...definition }] of Object.entries($defs ?? {})) {
      this.#keep(name, describeProperties(definition));
    }
    return rest;
  }

  #keep(name: string, definition: Json): void {
    const known = this.#named[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`two different schemas are named ${name}`);
    }
    this.#named[name] = definition;
  }
}
