import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Something asked of the server: not there yet, there, or why not. */
export interface Loaded<T> {
  readonly value: Signal<T | undefined>;
  readonly problem: Signal<string>;
  readonly reload: () => void;
}

/** Asks when the view appears and when one of `inputs` changes; only the last answer counts. */
export function useLoaded<T>(ask: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const problem = useSignal('');
  const turn = useSignal(0);
  const asked = turn.value;
  useEffect(() => {
    let isCurrent = true;
    ask().then(
      (answer) => {
        if (!isCurrent) return;
        value.value = answer;
        problem.value = '';
      },
      (error: unknown) => {
        if (isCurrent) problem.value = messageOf(error);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [...inputs, asked]);
  return { value, problem, reload: () => turn.value++ };
}

/** What to tell people of an error. */
export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'The server cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}
