/** JSON, ready to be parsed; bytes where it is so long that another thread should do that. */
export type JsonText = string | Buffer;

/** The same as a text, however long it is. */
export function textOf(json: JsonText): string {
  return typeof json === 'string' ? json : json.toString('utf8');
}
