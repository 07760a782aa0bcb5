/** An address as `fetch` takes it, and the header that stands for the user whom it named. */
export interface PlainAddress {
  readonly url: URL;
  readonly authorization: string | undefined;
}

/** Takes user and password out of an address: `fetch` refuses one that has them, and repeats them. */
export function withoutUser(address: string | URL): PlainAddress {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return { url, authorization: undefined };
  url.username = '';
  url.password = '';
  const bytes = Buffer.from(`${decoded(username)}:${decoded(password)}`);
  return { url, authorization: `Basic ${bytes.toString('base64')}` };
}

/** A percent sign that begins no byte stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
