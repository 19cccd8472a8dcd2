/**
 * Runs a command in a session of a workspace and prints what it prints, over every lost connection.
 *
 *   node examples/node-client/run-command.ts <relay> <workspace> <command> [argument …]     (HOLDFAST_TOKEN is set)
 */
import { randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { Screen } from '../../client/screen.ts';
import { WorkspaceClient } from '../../client/workspace-client.ts';
import { relayDial } from '../../node/relay-socket.ts';
import { systemClock } from '../../node/system-clock.ts';
import { SNAPSHOT_INFLATED_MAX_BYTES } from '../../protocol/limits.ts';

const [relay = '', workspace = '', command = '', ...args] = process.argv.slice(2);
const token = process.env.HOLDFAST_TOKEN ?? '';
const size = { cols: 80, rows: 24 };

const client = new WorkspaceClient({
  dial: relayDial(relay, `/ws/workspaces/${workspace}`, () => ({ ok: true, token })),
  inflate: async (bytes) =>
    new Uint8Array(inflateRawSync(bytes, { maxOutputLength: SNAPSHOT_INFLATED_MAX_BYTES })),
  clock: systemClock,
  random: Math.random,
  watched: () => true,
  instance: randomUUID(),
});

const standardOutput: Screen = {
  // Acknowledged once it is written: a reader that is slow slows the program, and nothing piles up.
  write: (bytes, shown) => process.stdout.write(bytes, () => shown()),
  reset: () => {},
  resize: () => {},
};

const { id } = await create();
const session = client.attach(id, size, standardOutput, { isNew: true });
session.onChange(() => {
  const { state } = session;
  if (state.name === 'gone') finish(1, state.why);
  if (state.name === 'exited') finish(state.exitCode ?? 1);
});

/** The machine may be offline at first: ask when it is there. */
async function create(): Promise<{ id: string }> {
  await new Promise<void>((resolve) => {
    const stop = client.onChange(() => {
      const { state } = client;
      if (state.name === 'refused') finish(1, state.why);
      if (state.name !== 'live' || state.agent.state === 'offline') return;
      stop();
      resolve();
    });
  });
  return client.create({ ...size, command, args });
}

function finish(code: number, why = ''): void {
  if (why !== '') process.stderr.write(`${why}\n`);
  process.exitCode = code;
  client.leave();
}
