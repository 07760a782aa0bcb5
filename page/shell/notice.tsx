import type { ComponentChildren } from 'preact';

/** A problem, told where it arose; nothing when there is none. */
export function Problem({ text, id }: { text: string; id?: string }) {
  if (text === '') return null;
  return (
    <p class="problem" role="alert" id={id}>
      {text}
    </p>
  );
}

/** What stands where there is nothing to show. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** How far something is, from 0 to 100. */
export function Progress({ percentage, label }: { percentage: number; label: string }) {
  return (
    <div class="progress">
      <progress max={100} value={percentage} aria-label={label} />
      <span>{Math.round(percentage)} %</span>
    </div>
  );
}
