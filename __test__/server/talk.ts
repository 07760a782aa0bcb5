import { setTimeout as delay } from 'node:timers/promises';

/** A task as the server shows it, as far as tests look. */
export interface ShownTask {
  uid: number;
  status: string;
  type: string;
  details?: Record<string, unknown>;
  error: { code: string; message: string } | null;
}

/** The master key of servers that tests start. */
export const MASTER_KEY = 'masterKeyOfTheTests';

/** The JSON that the server answers to whoever holds the master key. */
export async function ask<T = Record<string, unknown>>(
  url: string,
  method = 'GET',
  body?: unknown,
): Promise<T> {
  const headers = { Authorization: `Bearer ${MASTER_KEY}` };
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as T;
}

/** The task once it has ended. */
export async function ended(server: string, uid: number): Promise<ShownTask> {
  for (;;) {
    const task = await ask<ShownTask>(`${server}/tasks/${uid}`);
    if (!['enqueued', 'processing'].includes(task.status)) return task;
    await delay(10);
  }
}

/** Sends a write and waits for the end of its task. */
export async function write(
  server: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<ShownTask> {
  const { taskUid } = await ask<{ taskUid: number }>(`${server}${path}`, method, body);
  return ended(server, taskUid);
}
