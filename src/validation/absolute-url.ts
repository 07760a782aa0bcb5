/** Why a text is no absolute URL, in words; `undefined` when it is one. */
export function urlProblem(text: string): string | undefined {
  if (URL.canParse(text)) return undefined;
  const [, rest] = /^[a-z][a-z0-9+.-]*:[/\\]*(.*)$/is.exec(text.trim()) ?? [];
  if (rest === undefined) return 'relative URL without a base';
  const authority = /^[^/\\?#]*/.exec(rest)?.[0] ?? '';
  return hostProblem(authority.slice(authority.lastIndexOf('@') + 1));
}

/** What is wrong with a host and its port, one of which is. */
function hostProblem(text: string): string {
  if (text === '') return 'empty host';
  const [, host = '', port] = /^(\[[^\]]*\]?|[^:]*)(?::(.*))?/.exec(text) ?? [];
  if (host === '') return 'empty host';
  const isWrongPort = port !== undefined && (/\D/.test(port) || Number(port) > 65_535);
  // Of a wrong host and a wrong port the host is told, which comes first.
  if (isWrongPort && URL.canParse(`http://${host}`)) return 'invalid port number';
  if (host.startsWith('[')) return 'invalid IPv6 address';
  return /(^|\.)(\d+|0x[0-9a-f]*)\.?$/i.test(host)
    ? 'invalid IPv4 address'
    : 'invalid international domain name';
}
