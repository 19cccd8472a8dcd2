/** What the relay and clients are told of a session's attention, and requests that wait. */
import { describe, expect, it } from 'vitest';
import { AWAITS_PER_CLIENT_MAX, DIGEST_COMMANDS_MAX } from '../../../protocol/limits.ts';
import type { ClientMessageOf } from '../../../protocol/messages/client-message.ts';
import { NEWS_BURST } from '../../../vm-agent/session/paced-news.ts';
import { ScriptedRelay, SIZE } from './scripted-relay.ts';

const LONG_MS = 20_000;

class Story extends ScriptedRelay {
  readonly session = this.creates();

  /** The state of attention in each message to the registry. */
  get registered(): (string | undefined)[] {
    return this.sent.flatMap((item) =>
      'type' in item && item.type === 'session_changed' ? [item.session.attention?.text] : [],
    );
  }

  notices(text: string): void {
    this.screen.events.noticed?.({ text, isLow: false, offset: this.pty.typed.length + 1 });
  }

  /** A command that takes long, or not. */
  runs(line: string, { exit = 0, ms = LONG_MS, output = '' } = {}): void {
    this.pty.prints(`\x1b]133;A\x07$ \x1b]133;C;cmdline_url=${line}\x07${output}`);
    this.clock.advance(ms);
    this.pty.prints(`\x1b]133;D;${exit}\x07`);
  }

  awaits(channel: number, more: Partial<ClientMessageOf<'await_session'>> = {}): void {
    const { session } = this;
    this.asks(
      channel,
      { type: 'await_session', request: 'w', session, for: 'command', waitMs: 1000, ...more },
      'viewer',
    );
  }

  /** What awaits were answered with. */
  get answers(): string[] {
    return this.told.flatMap((message) => {
      if (message.type === 'error') return [message.code];
      if (message.type !== 'session_awaited') return [];
      const { command, attention } = message;
      return [command?.commandLine ?? attention?.text ?? 'nothing'];
    });
  }

  digests(since: Date) {
    this.clear();
    this.asks(2, { type: 'read_digest', request: 'd', since: since.toISOString() }, 'viewer');
    return this.told.flatMap((message) => (message.type === 'digest' ? message.sessions : []));
  }
}

describe('[A4] [AS6] attention', () => {
  it('is told to the registry once, when it changes', () => {
    const story = new Story();
    story.clear();
    story.notices('May I?');
    story.notices('May I?');
    story.clock.advance(60_000);
    expect(story.registered).toEqual(['May I?']);
    story.attaches(1, story.session);
    expect(story.registered.at(-1)).toBeUndefined();
  });

  it('is told to clients that describe the session', () => {
    const story = new Story();
    story.attaches(1, story.session, { hidden: true, describe: true });
    story.clear();
    story.notices('May I?');
    story.clock.advance(1_000);
    expect(story.last('session_described').attention).toMatchObject({ state: 'asks', text: 'May I?' });
    story.attaches(2, story.session);
    story.clock.advance(1_000);
    expect(story.last('session_described').attention).toBeUndefined();
  });

  it('is cleared by an operator with a visible window, and by nobody else', () => {
    const story = new Story();
    story.notices('May I?');
    const wants = () => story.agent.sessions.find(story.session).info.attention?.text;
    story.attaches(1, story.session, { hidden: true });
    story.attaches(2, story.session, { role: 'viewer' });
    story.asks(3, {
      type: 'reattach_session',
      request: 'r',
      session: story.session,
      instance: 'a-script',
      exited: 'read',
    });
    expect(wants()).toBe('May I?');
    story.attaches(1, story.session);
    expect(wants()).toBeUndefined();
    story.notices('seen');
    story.asks(1, { type: 'hide_session', session: story.session });
    expect(wants(), 'it was looked at').toBeUndefined();
    story.notices('not seen');
    expect(wants()).toBe('not seen');
  });

  it('is wanted again when the person has left, or the link is lost', () => {
    const story = new Story();
    story.attaches(1, story.session);
    const wants = () => story.agent.sessions.find(story.session).info.attention?.text;
    story.agent.received(JSON.stringify({ type: 'client_dropped', channel: 1, generation: 1 }));
    story.notices('one');
    expect(wants()).toBe('one');
    story.attaches(1, story.session);
    story.agent.linkLost();
    story.notices('two');
    expect(wants()).toBe('two');
  });

  it('of a flood reaches the registry at a bounded rate, and the last of it always', () => {
    const story = new Story();
    story.clear();
    for (let i = 0; i < 10_000; i++) story.notices(`n${i}`);
    expect(story.registered.length).toBeLessThanOrEqual(NEWS_BURST);
    story.clock.advance(60_000);
    expect(story.registered.length).toBeLessThanOrEqual(NEWS_BURST + 1);
    expect(story.registered.at(-1)).toBe('n9999');
  });

  it('is wanted for a long command and for the end of the program', () => {
    const story = new Story();
    story.runs('make', { exit: 2 });
    expect(story.registered.at(-1)).toBe('make (exit 2, 20 s)');
    story.pty.exits({ code: 1 });
    expect(story.registered.at(-1)).toBe('Ended with exit code 1');
  });
});

describe('[A4] [AS5] a request that waits for a command', () => {
  it('is answered when the next one ends', () => {
    const story = new Story();
    story.runs('old');
    story.clear();
    story.awaits(2, { waitMs: 60_000 });
    expect(story.answers).toEqual([]);
    story.runs('make');
    story.runs('ls');
    expect(story.answers).toEqual(['make']);
    expect(story.clock.pending, 'no timer is left').toBeLessThan(3);
  });

  it('is answered at once if it ended after the given offset, also without any output', () => {
    const story = new Story();
    story.pty.prints('\x1b]133;C;cmdline_url=sleep\x07');
    const since = story.agent.sessions.find(story.session).end;
    story.pty.prints('\x1b]133;D;0\x07');
    story.awaits(2, { since });
    story.awaits(2, { since: since + 1, waitMs: 0 });
    expect(story.answers).toEqual(['sleep', 'nothing']);
  });

  it('is answered with nothing when its time is up', () => {
    const story = new Story();
    story.awaits(2);
    story.clock.advance(999);
    expect(story.answers).toEqual([]);
    story.clock.advance(1);
    expect(story.answers).toEqual(['nothing']);
  });

  it('is refused if the program has ended, or ends', () => {
    const story = new Story();
    story.awaits(2, { waitMs: 60_000 });
    story.pty.exits();
    story.awaits(2);
    expect(story.answers).toEqual(['session_exited', 'session_exited']);
  });

  it(`is refused if the client has ${AWAITS_PER_CLIENT_MAX} already`, () => {
    const story = new Story();
    for (let i = 0; i < AWAITS_PER_CLIENT_MAX; i++) story.awaits(2);
    story.awaits(3);
    expect(story.answers).toEqual([]);
    story.awaits(2);
    expect(story.answers).toEqual(['slow_down']);
  });

  it('is forgotten with its client, and with its link', () => {
    const story = new Story();
    story.awaits(2);
    story.awaits(3);
    story.agent.received(JSON.stringify({ type: 'client_dropped', channel: 2, generation: 1 }));
    story.agent.linkOpened();
    story.clear();
    story.runs('make');
    story.clock.advance(60_000);
    expect(story.answers).toEqual([]);
  });
});

describe('[A4] [AS5] a request that waits for attention', () => {
  it('is answered at once if the session wants some, or when it does', () => {
    const story = new Story();
    story.awaits(2, { for: 'attention', waitMs: 60_000 });
    story.runs('ls', { ms: 10 });
    expect(story.answers).toEqual([]);
    story.notices('May I?');
    story.awaits(2, { for: 'attention' });
    expect(story.answers).toEqual(['May I?', 'May I?']);
  });

  it('does not count what was before its offset', () => {
    const story = new Story();
    story.notices('May I?');
    story.awaits(2, { for: 'attention', since: 1000 });
    expect(story.answers).toEqual([]);
  });

  it('is answered when the program ends', () => {
    const story = new Story();
    story.awaits(2, { for: 'attention', waitMs: 60_000 });
    story.pty.exits({ code: 7 });
    expect(story.answers).toEqual(['Ended with exit code 7']);
  });

  it('is refused if the session is closed', () => {
    const story = new Story();
    story.attaches(1, story.session);
    story.awaits(2, { for: 'attention', waitMs: 60_000 });
    story.asks(1, { type: 'close_session', request: 'x', session: story.session });
    expect(story.answers).toEqual(['session_exited']);
  });
});

describe('[A6] [AS7] a digest', () => {
  const BEFORE = new Date(Date.now() - 60_000);

  it('is empty if nothing happened', () => {
    const story = new Story();
    expect(story.digests(new Date(Date.now() + 60_000))).toEqual([]);
    expect(story.last('digest').more).toBeUndefined();
  });

  it('counts commands and bytes, and names those that failed or took long', () => {
    const story = new Story();
    story.runs('ls', { ms: 10 });
    story.runs('npm+test', { exit: 1, ms: 10, output: 'x'.repeat(500) });
    story.runs('make');
    const [digest] = story.digests(BEFORE);
    expect(digest).toMatchObject({ session: story.session, finished: 3, failed: 1 });
    expect(digest?.commands.map(({ commandLine, exitCode }) => [commandLine, exitCode])).toEqual([
      ['npm+test', 1],
      ['make', 0],
    ]);
    expect(digest?.printedBytes).toBeGreaterThan(500);
    expect(digest?.attention?.text).toBe('make (20 s)');
  });

  it('names at most so many, those that failed first', () => {
    const story = new Story();
    for (let i = 0; i < DIGEST_COMMANDS_MAX + 5; i++) story.runs(`f${i}`, { exit: 1, ms: 1 });
    for (let i = 0; i < 5; i++) story.runs(`long${i}`);
    const [digest] = story.digests(BEFORE);
    expect(digest?.failed).toBe(DIGEST_COMMANDS_MAX + 5);
    expect(digest?.commands).toHaveLength(DIGEST_COMMANDS_MAX);
    expect(digest?.commands.at(-1)?.commandLine).toBe(`f${DIGEST_COMMANDS_MAX + 4}`);
  });

  it('has only sessions in which something happened, and what ended since then', () => {
    const story = new Story();
    story.agent.sessions.create({ size: SIZE });
    story.pty.prints('x');
    expect(story.digests(BEFORE).map(({ finished, printedBytes }) => [finished, printedBytes])).toEqual([
      [0, 1],
    ]);
    expect(story.digests(new Date(Date.now() + 60_000))).toEqual([]);
  });
});
