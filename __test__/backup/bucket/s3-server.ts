import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ensureS3Server } from '../../../scripts/python-client.mjs';

/** A server of S3 in a process of its own, which keeps everything in memory. */
export interface S3Server {
  readonly url: string;
  /** Makes a bucket. */
  makeBucket(name: string): Promise<void>;
  /** The bytes of an object; `undefined` when there is none. */
  object(path: string): Promise<Buffer | undefined>;
  /** How many uploads of a bucket were begun and not ended. */
  uploads(bucket: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the server on a free port, and waits until it listens. */
export async function startS3Server(): Promise<S3Server> {
  const python = await ensureS3Server();
  const args = ['-B', '-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'];
  const env = { ...process.env, AWS_EC2_METADATA_DISABLED: 'true' };
  const child = spawn(python, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await addressOf(child);
  return {
    url,
    makeBucket: async (name) => {
      const { status } = await fetch(`${url}/${name}`, { method: 'PUT' });
      if (status !== 200) throw new Error(`the bucket was refused: ${status}`);
    },
    object: async (path) => {
      const answer = await fetch(`${url}/${path}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      return answer.ok ? bytes : undefined;
    },
    uploads: async (bucket) => {
      const text = await (await fetch(`${url}/${bucket}?uploads`)).text();
      return text.split('<UploadId>').length - 1;
    },
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** The address that the server prints once it listens; everything after that is thrown away. */
function addressOf(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream });
  const printed: string[] = [];
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`no server of S3:\n${printed.join('\n')}`)));
    lines.on('line', (line) => {
      printed.push(line);
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
}
