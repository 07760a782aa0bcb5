/**
 * An address whose path can be decoded: percents that stand for no bytes are taken for themselves,
 * bytes that are no UTF-8 become replacement characters, as they do in queries. Routes then refuse the
 * name for what it is, and whoever has no key learns nothing more.
 */
export function readablePath(url: string): string {
  if (!url.includes('%')) return url;
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll(/(?:%[0-9a-f]{2})+|%/gi, decodable) + url.slice(path.length);
  }
}

function decodable(escapes: string): string {
  const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
  return escapes === '%' ? '%25' : encodeURIComponent(bytes.toString('utf8'));
}
