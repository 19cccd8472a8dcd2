/** The commands of a session in the client library, against a scripted relay. */
import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../protocol/frame.ts';
import { COMMANDS_KEPT } from '../../protocol/limits.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import { asked, client, connects, HANDLE, network, says, settled, startsClients } from './requests-story.ts';

startsClients();

const command = (number: number): SessionCommand => ({
  number,
  commandLine: 'make',
  startedAt: '2026-11-17T10:00:00.000Z',
  durationMs: 1,
  exitCode: 0,
  outputFrom: 0,
  outputTo: 1,
  verified: true,
});

/** With an agent and a relay that know about commands, unless told otherwise. */
function connected(listsCommands = true): void {
  connects();
  const agent = { state: 'online', since: null, epoch: 'epoch-1', generation: 1 } as const;
  says({ type: 'agent_state', agent: listsCommands ? { ...agent, listsCommands } : agent });
}

const page = (commands: SessionCommand[], more = false) =>
  says({ type: 'command_list', request: asked('list_commands').request, session: 's1', commands, more });

describe('[T3] commands', () => {
  it('are joined from their pages', async () => {
    connected();
    const done = client.commands('s1');
    expect(asked('list_commands')).toMatchObject({ session: 's1' });
    page([command(1), command(2)], true);
    page([command(3)]);
    expect((await done).map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it.each([
    ['more than are kept', [command(1)]],
    ['pages without any', []],
  ])('are refused if there are %s', async (_, commands) => {
    connected();
    const done = settled(client.commands('s1'));
    for (let i = 0; i <= COMMANDS_KEPT; i++) page(commands, true);
    expect(await done).toMatch(/ProtocolError: a list of over 200 commands/);
  });

  it('are not asked for if agent or relay are of an earlier version', async () => {
    connected(false);
    expect(await settled(client.commands('s1'))).toBe('unsupported');
    expect(await settled(client.commandOutput('s1', 1, 'text'))).toBe('unsupported');
    expect([asked('list_commands'), asked('take_snapshot')]).toEqual([undefined, undefined]);
  });

  it('have an output, which may be incomplete', async () => {
    connected();
    const taken = (lost?: number) => {
      const { request } = asked('take_snapshot');
      const of = { request, session: 's1', handle: HANDLE, format: 'text', command: 7 } as const;
      const place = { offset: 9, cols: 80, rows: 24, bytes: 2 };
      says({ type: 'snapshot_taken', ...of, ...place, ...(lost === undefined ? {} : { lost }) });
      network.latest.send(
        encodeFrame({ kind: 'snapshot', channel: 1, handle: HANDLE, offset: 0 }, new Uint8Array([104, 105])),
      );
    };
    const whole = client.commandOutput('s1', 7, 'text');
    expect(asked('take_snapshot')).toMatchObject({ session: 's1', command: 7, format: 'text' });
    expect(asked('take_snapshot')).not.toHaveProperty('scope');
    taken();
    expect(await whole).toEqual({ bytes: new Uint8Array([104, 105]), cols: 80, rows: 24, offset: 9 });
    const cut = client.commandOutput('s1', 7, 'text');
    taken(5);
    expect(await cut).toMatchObject({ truncated: true });
  });
});
