import { expect, test } from 'vitest';
import { Progress } from '../../src/tasks/progress.js';

test('a batch gets from 0 to 50 percent by its work, and has the rest before it while it is stored', async () => {
  const progress = new Progress();
  progress.enterPhases('processing tasks', 2);
  const seen = [progress.view().percentage];
  await progress.during('retrieving tasks', async () => undefined);
  seen.push(progress.view().percentage);
  await progress.during('indexing', async () => {
    for (const finished of [1, 4]) {
      progress.watch(() => [{ currentStep: 'committing', finished, total: 5 }]);
      seen.push(progress.view().percentage);
    }
    progress.watch(undefined);
  });
  progress.nextPhase('writing tasks to disk');
  expect(seen).toEqual([0, 0, 10, 40]);
  expect(progress.view()).toEqual({
    steps: [{ currentStep: 'writing tasks to disk', finished: 1, total: 2 }],
    percentage: 50,
  });
});

test('steps inside of a step count as its parts, and each tells how long it took', async () => {
  const progress = new Progress();
  progress.enterPhases('processing tasks', 2);
  progress.enter('backup', 4);
  await progress.during('keys', async () => undefined);
  progress.enter('index', 2);
  progress.advance();
  expect(progress.view()).toEqual({
    steps: [
      { currentStep: 'processing tasks', finished: 0, total: 2 },
      { currentStep: 'backup', finished: 1, total: 4 },
      { currentStep: 'index', finished: 1, total: 2 },
    ],
    percentage: (1 / 8 + 1 / 16) * 100,
  });
  progress.nextPhase('writing tasks to disk');
  expect(Object.keys(progress.trace())).toEqual([
    'processing tasks > backup > keys',
    'processing tasks > backup > index',
    'processing tasks > backup',
    'processing tasks',
  ]);
});
