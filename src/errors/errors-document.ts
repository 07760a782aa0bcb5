import type { ErrorSpec } from './error-spec.js';
import { PARAMETER_CODES } from './parameter-codes.js';
import { SINGLE_CODES } from './single-codes.js';

const INTRODUCTION = `# Errors

<!-- Generated from src/errors by scripts/generate.mjs. Do not edit. -->

An error is answered as a JSON object: \`message\` (for people), \`code\` (for programs), \`type\`
(\`invalid_request\`, \`auth\`, \`system\` or \`internal\`) and \`link\` (to the code in this page). The
\`error\` of a failed task has the same four fields; "(task)" marks codes that only tasks carry.
Answers with status 503 also carry \`Retry-After: 10\`.
`;

/** The text of `docs/errors.md`. */
export function render(): string {
  const parts = [
    INTRODUCTION,
    section('Codes', SINGLE_CODES),
    section('Codes of parameters', PARAMETER_CODES),
  ];
  return parts.join('\n');
}

function section(title: string, codes: Readonly<Record<string, ErrorSpec>>): string {
  const entries = Object.entries(codes).map(([code, { status, type, doc }]) => {
    const text = `${doc.charAt(0).toUpperCase()}${doc.slice(1)}`;
    return `### ${code}\n\n${status}, \`${type}\`. ${text}.\n`;
  });
  return [`## ${title}\n`, ...entries].join('\n');
}
