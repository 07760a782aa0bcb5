import * as binding from '../../native/binding.cjs';
import type { Outcome } from './outcome.js';

/** A field of an index as templates see it. */
export interface TemplateField {
  readonly name: string;
  readonly isSearchable: boolean;
}

/** A template, or JSON whose strings are templates, and what it is rendered with. */
export interface Rendering {
  readonly template: unknown;
  /** Bytes after which a text is cut. */
  readonly maxBytes?: number | undefined;
  readonly document?: unknown;
  readonly fields?: readonly TemplateField[];
  readonly query?: object;
}

interface TemplateBinding {
  checkTemplate(template: string): Outcome<null>;
  renderTemplate(request: string): Promise<Outcome<string>>;
}

const { checkTemplate, renderTemplate: render } = binding as TemplateBinding;

/** Why a template, or JSON whose strings are templates, cannot be read. */
export function templateProblem(template: unknown): string | undefined {
  const outcome = checkTemplate(JSON.stringify(template ?? null));
  return 'error' in outcome ? outcome.error.message : undefined;
}

/** A rendered template, or why it cannot be rendered. */
export async function renderTemplate(rendering: Rendering): Promise<Outcome<unknown>> {
  const outcome = await render(JSON.stringify(rendering));
  return 'ok' in outcome ? { ok: JSON.parse(outcome.ok) as unknown } : outcome;
}
