/** Why a server cannot start from a dump or a snapshot, for the person who starts it. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
