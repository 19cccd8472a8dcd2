/** A process that has ended and that nobody collects: its parent has become a program that knows nothing of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { expect } from 'vitest';

export interface UncollectedChild extends AsyncDisposable {
  readonly pid: number;
  readonly parent: number;
}

/** It ends with this code, once its parent is that program: a shell would collect it. */
export async function uncollectedChild(code: number): Promise<UncollectedChild> {
  const script = `(read line; exit ${code}) <&3 & echo $!; exec sleep 1000`;
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  const [line] = await once(parent.stdio[1] as NodeJS.ReadableStream, 'data');
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
  (parent.stdio[3] as Writable).write('\n');
  return {
    pid: Number(line),
    parent: parent.pid as number,
    async [Symbol.asyncDispose]() {
      const ended = once(parent, 'exit');
      parent.kill('SIGKILL');
      await ended;
    },
  };
}
