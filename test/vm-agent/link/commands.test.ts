/** What clients are told of a session's commands. */
import { describe, expect, it } from 'vitest';
import { AGENT_CONTROL_MAX_BYTES, COMMANDS_KEPT, SNAPSHOTS_WAITING_MAX } from '../../../protocol/limits.ts';
import { HISTORY_BYTES, ScriptedRelay, SIZE } from './scripted-relay.ts';

const run = (line: string, output: string, exit = 0) =>
  `\x1b]133;C;cmdline_url=${line}\x07${output}\x1b]133;D;${exit}\x07\x1b]133;A\x07$ `;

class Story extends ScriptedRelay {
  readonly session = this.creates();

  lists(session = this.session): string[] {
    this.clear();
    this.asks(2, { type: 'list_commands', request: 'l', session }, 'viewer');
    return this.told.map((message) => {
      if (message.type === 'error') return message.code;
      if (message.type !== 'command_list') return message.type;
      const { commands, more } = message;
      return `${commands.map(({ commandLine, exitCode }) => `${commandLine} ${exitCode}`)}${more ? ' …' : ''}`;
    });
  }

  asksFor(command: number, channel = 2): void {
    const { session } = this;
    this.asks(channel, { type: 'take_snapshot', request: 's', session, format: 'text', command }, 'viewer');
  }
}

describe('[T3] [AG14] a list of commands', () => {
  it('has those that were printed, for viewers too', () => {
    const story = new Story();
    expect(story.lists()).toEqual(['']);
    story.pty.prints(`${run('make', 'x')}${run('ls', '', 2)}`);
    expect(story.lists()).toEqual(['make 0,ls 2']);
    expect(story.lists('another')).toEqual(['session_missing']);
  });

  it('has the commands of a program that has ended, and the last of them has ended with it', () => {
    const story = new Story();
    story.pty.prints('\x1b]133;C;cmdline_url=exit\x07');
    story.pty.exits({ code: 0, signal: null });
    expect(story.lists()).toEqual(['exit null']);
    expect(story.last('command_list').commands[0]?.durationMs).not.toBeNull();
  });

  it('tells whether the nonce of the session proves a command', () => {
    const story = new Story();
    const session = story.agent.sessions.create({ size: SIZE, marksNonce: 'ours' }).identity.id;
    story.pty.prints('\x1b]133;C;nonce=ours;n=5;cmdline_url=make\x07\x1b]133;C;cmdline_url=fake\x07');
    expect(story.lists(session)).toEqual(['make null']);
    expect(story.last('command_list').commands).toMatchObject([{ number: 5, verified: true }]);
  });

  it('comes in pages that fit a message', () => {
    const story = new Story();
    const long = 'ä'.repeat(300);
    for (let i = 0; i < COMMANDS_KEPT; i++) story.pty.prints(run(`${i}${long}`, ''));
    const pages = story.lists();
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.map((page) => page.endsWith('…'))).toEqual(pages.map((_, i) => i + 1 < pages.length));
    for (const message of story.told)
      expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(AGENT_CONTROL_MAX_BYTES - 256);
    const numbers = story.told.flatMap((message) =>
      message.type === 'command_list' ? message.commands.map(({ number }) => number) : [],
    );
    expect(numbers).toEqual(Array.from({ length: COMMANDS_KEPT }, (_, i) => i + 1));
  });
});

describe('[T3] [OU21] the output of a command', () => {
  it('is announced with its number and sent', async () => {
    const story = new Story();
    story.pty.prints(run('make', 'made\r\n'));
    story.asksFor(1);
    await story.settled();
    expect(story.screen.text).toBe('made\r\n');
    story.lists();
    const [{ outputTo } = {}] = story.last('command_list').commands;
    story.asksFor(1);
    await story.settled();
    expect(story.last('snapshot_taken')).toMatchObject({ command: 1, offset: outputTo, cols: 80, rows: 24 });
    expect(story.last('snapshot_taken')).not.toHaveProperty('lost');
  });

  it('says how much is lost, and is refused when all of it is', async () => {
    const story = new Story();
    story.pty.prints(run('seq', `first\n${'x'.repeat(HISTORY_BYTES)}\nlast\n`));
    story.asksFor(1);
    await story.settled();
    expect(story.screen.text).toBe('last\n');
    expect(story.last('snapshot_taken').lost).toBe('first\n'.length + HISTORY_BYTES + 1);
    story.pty.prints('y'.repeat(HISTORY_BYTES));
    story.asksFor(1);
    await story.settled();
    expect(story.last('error').code).toBe('output_gone');
    story.asksFor(2);
    await story.settled();
    expect(story.last('error').code).toBe('command_unknown');
  });

  it('is drawn one at a time for a session, once for all who have asked for it', async () => {
    const story = new Story();
    story.pty.prints(`${run('one', '1')}${run('two', '2')}`);
    const drawn = () => story.screens.screens.slice(1).map(({ text }) => text);
    story.asksFor(1);
    story.asksFor(2);
    story.asksFor(1, 3);
    story.asksFor(2, 3);
    await Promise.resolve();
    expect(drawn()).toEqual(['1']);
    for (let round = 0; round < 3; round++) await story.settled();
    expect(drawn()).toEqual(['1', '2', '1']);
    const taken = story.told.filter(({ type }) => type === 'snapshot_taken');
    expect(taken.map((message) => 'command' in message && message.command)).toEqual([1, 2, 2, 1]);
  });

  it('is refused to a client that waits for too many', () => {
    const story = new Story();
    story.pty.prints(run('one', '1'));
    for (let i = 0; i < SNAPSHOTS_WAITING_MAX; i++) story.asksFor(1);
    expect(story.told.some(({ type }) => type === 'error')).toBe(false);
    story.asksFor(1);
    expect(story.last('error').code).toBe('slow_down');
  });
});
