import { ApiError } from '../errors/api-error.js';
import type { InputRequest, TemplateRequest } from './render-request.js';

interface Takes {
  readonly needs: readonly string[];
  readonly mayHave?: readonly string[];
}

const OF_TEMPLATE: Readonly<Record<TemplateRequest['kind'], Takes>> = {
  documentTemplate: { needs: ['indexUid', 'embedder'], mayHave: ['documentTemplateMaxBytes'] },
  chatDocumentTemplate: { needs: ['indexUid'], mayHave: ['documentTemplateMaxBytes'] },
  indexingFragment: { needs: ['indexUid', 'embedder', 'fragment'] },
  searchFragment: { needs: ['indexUid', 'embedder', 'fragment'] },
  inlineDocumentTemplate: { needs: ['inline'], mayHave: ['documentTemplateMaxBytes'] },
  inlineFragment: { needs: ['inline'] },
};

const OF_INPUT: Readonly<Record<InputRequest['kind'], Takes>> = {
  indexDocument: { needs: ['indexUid', 'id'] },
  inlineDocument: { needs: ['inline'] },
  inlineSearch: { needs: ['inline'] },
};

/** What is wrong with the parameters of a template for its kind. */
export function templateParameterProblem(template: TemplateRequest): ApiError | undefined {
  const problem = parameterProblem(template, OF_TEMPLATE[template.kind]);
  return problem === undefined ? undefined : refusedTemplate(problem);
}

/** What is wrong with the parameters of an input for its kind. */
export function inputParameterProblem(input: InputRequest): ApiError | undefined {
  const problem = parameterProblem(input, OF_INPUT[input.kind]);
  return problem === undefined ? undefined : refusedInput(problem);
}

/** A template that cannot be had. */
export function refusedTemplate(reason: string): ApiError {
  return new ApiError('invalid_render_template', `error while fetching template: ${reason}`);
}

/** An input that cannot be had. */
export function refusedInput(reason: string): ApiError {
  return new ApiError('invalid_render_input', `error while fetching input: ${reason}`);
}

function parameterProblem(
  { kind, ...given }: { readonly kind: string } & Readonly<Record<string, unknown>>,
  { needs, mayHave = [] }: Takes,
): string | undefined {
  const isGiven = (name: string) => given[name] != null;
  const missing = needs.find((name) => !isGiven(name));
  if (missing !== undefined) {
    return `parameter \`${snakeCase(missing)}\` missing for kind \`${kind}\``;
  }
  const extra = Object.keys(given).find(
    (name) => isGiven(name) && !needs.includes(name) && !mayHave.includes(name),
  );
  return extra === undefined
    ? undefined
    : `parameter \`${snakeCase(extra)}\` disallowed for kind \`${kind}\``;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
