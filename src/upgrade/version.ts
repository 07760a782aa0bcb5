/** A version of the product, as parts that can be compared. */
export interface Version {
  readonly numbers: readonly number[];
  /** What stands behind the hyphen, in parts; none in a release. */
  readonly preRelease: readonly string[];
}

const FORM = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** Reads `1.2.3` or `1.2.3-rc.1`; `undefined` when it is no version. */
export function parseVersion(text: string): Version | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [, major, minor, patch, preRelease] = parts;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    preRelease: preRelease?.split('.') ?? [],
  };
}

/** Negative when `a` came before `b`, positive when after, in the order of semantic versions. */
export function compareVersions(a: Version, b: Version): number {
  for (const [place, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePreReleases(a.preRelease, b.preRelease);
}

/** A release comes after everything that led to it. */
function comparePreReleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [place, part] of a.entries()) {
    const other = b[place];
    if (other === undefined) return 1;
    const difference = compareParts(part, other);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Numbers go by size and before words. */
function compareParts(a: string, b: string): number {
  const [isNumber, otherIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && otherIsNumber) return Number(a) - Number(b);
  if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
