/** A secret as it may be shown: at most its first five characters. */
export function maskSecret(secret: string): string {
  const characters = [...secret];
  const { length } = characters;
  if (length < 10) return 'XXX...';
  if (length < 20) return `${characters.slice(0, 2).join('')}XXXX...`;
  if (length < 30) return `${characters.slice(0, 3).join('')}XXXXX...`;
  return `${characters.slice(0, 5).join('')}XXXXXX...`;
}
