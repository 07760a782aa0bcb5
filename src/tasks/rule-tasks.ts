import type { RunnableTask } from '../native/store.js';
import { type BatchContext, contentOf } from './batch-context.js';
import { type BatchEnd, succeeded } from './batch-end.js';
import type { RuleUpdateDraft } from './task-draft.js';

/** Writes or removes one search rule. Doing it again after a crash changes nothing more. */
export async function updateRule(task: RunnableTask, { rules }: BatchContext): Promise<BatchEnd> {
  const { ruleUid, change } = contentOf(task) as RuleUpdateDraft;
  if (change === null) await rules.delete(ruleUid);
  else await rules.update(ruleUid, change);
  return { outcomes: [succeeded(task)], registry: [] };
}

/** Removes every search rule. */
export async function clearRules(task: RunnableTask, { rules }: BatchContext): Promise<BatchEnd> {
  const deletedDocuments = await rules.clear();
  return { outcomes: [succeeded(task, { deletedDocuments })], registry: [] };
}
