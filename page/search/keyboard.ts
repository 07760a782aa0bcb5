import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus between the search field and the hits by arrow keys. */
export function moveAmongHits(event: KeyboardEvent, input: HTMLInputElement | null): void {
  const step = STEPS[event.key];
  const at = event.target;
  if (step === undefined || !(at instanceof HTMLElement)) return;
  const hits = [...document.querySelectorAll<HTMLElement>('[data-hit]')];
  const current = hits.indexOf(at.closest<HTMLElement>('[data-hit]') ?? at);
  if (current === -1 && at !== input) return;
  event.preventDefault();
  const next = current + step;
  (next < 0 ? input : hits[Math.min(next, hits.length - 1)])?.focus();
}

/** The key `/` goes to the search field, unless one is typing. */
export function useSlashKey(input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isTyping = (event.target as HTMLElement).matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [input]);
}
