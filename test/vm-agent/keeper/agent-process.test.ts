/** The process of an agent, and the socket it is given. A shell stands for it. */
import { describe, expect, it, vi } from 'vitest';
import { startAgent } from '../../../vm-agent/keeper/agent-process.ts';
import type { AgentProcess } from '../../../vm-agent/keeper/supervisor.ts';
import type { Kind } from '../../../vm-agent/keeper/wire.ts';

const noDescriptors = vi.hoisted(() => ({ is: false }));

/** Without descriptors, Node returns a process that has no streams. */
vi.mock('node:child_process', async (original) => {
  const real = await original<typeof import('node:child_process')>();
  return {
    ...real,
    spawn: (...args: Parameters<typeof real.spawn>) => {
      const child = real.spawn(...args);
      if (noDescriptors.is) Object.defineProperty(child, 'stdio', { value: undefined });
      return child;
    },
  };
});

/** Sends back every frame that it is sent. */
const ECHO = ['-c', 'exec cat <&3 >&3'];

function start(args: readonly string[], program = '/bin/sh') {
  const heard: string[] = [];
  let ended: (how: string) => void = () => {};
  const end = new Promise<string>((resolve) => {
    ended = resolve;
  });
  const agent = startAgent(
    { program, args, capabilities: ['upgrade'] },
    {
      received: ({ kind, payload }) => heard.push(`${kind} ${payload}`),
      drained: () => heard.push('drained'),
    },
    {
      booted: (version) => heard.push(`booted ${version}`),
      answered: () => heard.push('answered'),
      ended: (code, how) => ended(`${code} ${how}`),
    },
  );
  return { agent, heard, end };
}

function tell({ socket }: AgentProcess, message: object): void {
  const payload = Buffer.from(JSON.stringify(message));
  socket.send({ kind: 'control' }, payload);
}

describe('the process of an agent', () => {
  it('[K1] says that it has booted, answers pings, and is heard by the keeper otherwise', async () => {
    const { agent, heard, end } = start(ECHO);
    tell(agent, { type: 'booted', version: 2 });
    tell(agent, { type: 'pong' });
    tell(agent, { type: 'ready' });
    agent.socket.sendLater({ kind: 'credit' }, new Uint8Array(0));
    await expect.poll(() => heard).toEqual(['booted 2', 'answered', 'control {"type":"ready"}', 'credit ']);
    agent.kill();
    expect(await end).toBe('null SIGKILL');
  });

  it('[K1] is full if it does not read', async () => {
    const { agent, heard, end } = start(['-c', 'exec sleep 9']);
    const payload = new Uint8Array(1024 * 1024);
    expect(agent.socket.isWritable).toBe(true);
    agent.socket.send({ kind: 'blob' }, payload);
    expect(agent.socket.isWritable).toBe(false);
    agent.kill();
    await end;
    expect(heard).toEqual([]);
  });

  it('[F26] is killed if it breaks the rules, and nothing that follows is read', async () => {
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { agent, heard, end } = start(ECHO);
    tell(agent, { type: 'first' });
    agent.socket.send({ kind: 'no such kind' as Kind }, new Uint8Array(0));
    for (let n = 0; n < 100; n++) tell(agent, { type: 'later' });
    expect(await end).toBe('null SIGKILL');
    expect(heard).toEqual(['control {"type":"first"}']);
    expect(String(log.mock.calls[0]?.[0])).toContain('agent_broke_rules');
    log.mockRestore();
  });

  it('[F26] has ended if it cannot be started', async () => {
    expect(await start([], '/no such program').end).toMatch(/^null .*ENOENT/);
    noDescriptors.is = true;
    const { agent, end } = start([], '/no such program');
    noDescriptors.is = false;
    expect(agent.socket.isWritable).toBe(false);
    tell(agent, { type: 'ping' });
    expect(await end).toMatch(/^null /);
  });

  it('[K4] is told the version of the keeper, and shows others what that can do', async () => {
    expect(await start(['-c', 'exit $((40 + HOLDFAST_KEEPER_VERSION))']).end).toBe('41 exit code 41');
    expect(await start(['-c', '[ "$HOLDFAST_KEEPER_CAN" = upgrade ] && exit 9']).end).toBe('9 exit code 9');
  });

  it('ends with its code, and has a descriptor for the keeper', async () => {
    expect(await start(['-c', 'exit $HOLDFAST_KEEPER_FD']).end).toBe('3 exit code 3');
  });
});
