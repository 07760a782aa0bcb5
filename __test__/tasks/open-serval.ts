import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Serval, type ServalOptions } from '../../src/serval.js';
import { type EngineControls, memoryEngine } from './memory-engine.js';

/** A folder that is removed after the test. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'serval-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'data.sv');
}

/** Opens a data folder with the small engine; closed after the test. */
export async function openServal(
  path = dataFolder(),
  options: ServalOptions = {},
): Promise<{ db: Serval; path: string; controls: EngineControls }> {
  const controls: EngineControls = { batches: [] };
  const db = await Serval.open(path, { engine: memoryEngine(controls), ...options });
  onTestFinished(() => db.close());
  return { db, path, controls };
}

/** Holds batches until released; `reached` resolves when one is held. */
export function hold(controls: EngineControls) {
  let release: () => void = () => undefined;
  let reach: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  controls.beforeBatch = () => {
    reach();
    return released;
  };
  return { release, reached };
}
