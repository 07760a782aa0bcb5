/** Why a text is no absolute URL, in words; `undefined` when it is one. */
export function urlProblem(text: string): string | undefined {
  if (URL.canParse(text)) return undefined;
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text.trim())) return 'relative URL without a base';
  if (/^[a-z][a-z0-9+.-]*:\/*$/i.test(text.trim())) return 'empty host';
  return /:\d+(?:[/?#]|$)/.test(text) ? 'invalid port number' : 'invalid international domain name';
}
