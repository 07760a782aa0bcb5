/** Why a request was not sent: the policy refuses every address of its host. */
export class RejectedIpError extends Error {
  override readonly name = 'RejectedIpError';
  /** The host as it was called, a name or an address. */
  readonly host: string;

  constructor(host: string) {
    super('Rejected IP');
    this.host = host;
  }
}
