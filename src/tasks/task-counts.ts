/** Numbers of tasks; what does not occur is absent. */
export interface TaskCounts {
  readonly statuses: Readonly<Record<string, number>>;
  readonly types: Readonly<Record<string, number>>;
  readonly indexes: Readonly<Record<string, number>>;
}
