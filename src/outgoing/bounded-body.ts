/** The body of an answer, `undefined` once it is larger than so many bytes. */
export async function boundedBody(
  response: Response,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** What a body is worth that breaks off. */
type IfBroken = 'throw' | 'keep what came';

/** The first bytes of the body of an answer as text: no more than so many are read. */
export async function startOfBody(
  response: Response,
  maxBytes: number,
  ifBroken: IfBroken = 'throw',
): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of response.body ?? []) {
      parts.push(part);
      size += part.byteLength;
      if (size >= maxBytes) break;
    }
  } catch (error) {
    if (ifBroken === 'throw') throw error;
  }
  return Buffer.concat(parts).subarray(0, maxBytes).toString('utf8');
}
