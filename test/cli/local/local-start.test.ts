/**
 * The rules of `npm start`: how parts are restarted, when Ctrl-C asks, what is shown of the agent's log. No process is
 * started.
 */
import { describe, expect, it } from 'vitest';
import { AgentLog } from '../../../cli/local/agent-log.ts';
import { explanation } from '../../../cli/local/agent-online.ts';
import { ECHO_WITHIN_MS, Interrupts, question, SECOND_WITHIN_MS } from '../../../cli/local/interrupts.ts';
import { ENDS_MAX, RestartPace, WITHIN_MS } from '../../../cli/local/restart-pace.ts';
import { requireShell } from '../../../cli/local/shell-check.ts';
import { type Part, SupervisedPart } from '../../../cli/local/supervised-part.ts';
import { StartError } from '../../../node/start-error.ts';
import { CLOSE } from '../../../protocol/close-codes.ts';
import { FakeClock } from '../../support/fake-clock.ts';

describe('the restart delay', () => {
  it('[Y5] is zero at first, then doubles, and ends after too many restarts', () => {
    const pace = new RestartPace();
    const verdicts = Array.from({ length: ENDS_MAX + 1 }, (_, i) => pace.ended(i));
    expect(verdicts.map((verdict) => (verdict.name === 'restart' ? verdict.afterMs : verdict.name))).toEqual([
      0,
      250,
      500,
      1000,
      2000,
      'give_up',
    ]);
  });

  it('[Y5] ignores what happened over a minute ago', () => {
    const pace = new RestartPace();
    for (let i = 0; i < ENDS_MAX; i++) pace.ended(i);
    expect(pace.ended(WITHIN_MS + ENDS_MAX)).toEqual({ name: 'restart', afterMs: 0 });
  });
});

/** A part whose processes end on request. */
class FakePart {
  readonly clock = new FakeClock();
  readonly said: string[] = [];
  readonly stopped: number[] = [];
  readonly #ends: ((how: string) => void)[] = [];
  hasGivenUp = false;
  final: string | null = null;
  failsToStart = false;
  isEnding = false;
  /** What a start waits for. */
  gate: Promise<void> = Promise.resolve();

  readonly open = () =>
    SupervisedPart.start<Part & { readonly number: number }>({
      name: 'The relay',
      meaning: 'Pages reconnect.',
      start: () => this.#start(),
      isEnding: () => this.isEnding,
      whyFinal: () => this.final,
      clock: this.clock,
      say: (line) => this.said.push(line),
      gaveUp: () => {
        this.hasGivenUp = true;
      },
    });

  get starts(): number {
    return this.#ends.length;
  }

  /** Resolves when its end was detected. */
  async ends(how: string): Promise<void> {
    this.#ends.at(-1)?.(how);
    await settled();
  }

  async #start() {
    await this.gate;
    if (this.failsToStart) throw new StartError('no port');
    const number = this.#ends.length;
    const ended = new Promise<string>((resolve) => this.#ends.push(resolve));
    const stop = async () => {
      this.stopped.push(number);
    };
    return { number, ended, stop };
  }
}

/** Lets resolved promises continue. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a part that exits by itself', () => {
  it('[Y5] is restarted, with a line that says so', async () => {
    const fake = new FakePart();
    const supervised = await fake.open();
    await fake.ends('SIGKILL');
    fake.clock.advance(0);
    await settled();
    expect(fake.said).toEqual(['The relay has ended (SIGKILL) and is restarted. Pages reconnect.']);
    expect([fake.starts, supervised.part?.number]).toEqual([2, 1]);
  });

  it('[Y5] is not restarted if it keeps exiting, with a line that says so', async () => {
    const fake = new FakePart();
    await fake.open();
    for (let i = 0; i <= ENDS_MAX; i++) {
      await fake.ends('exit code 1');
      fake.clock.advance(4000);
      await settled();
    }
    expect([fake.hasGivenUp, fake.starts]).toEqual([true, ENDS_MAX + 1]);
    expect(fake.said.at(-1)).toBe(
      'The relay has ended (exit code 1), 6 times within 60 s; it is not restarted again. Stopping.',
    );
    expect(fake.clock.pending).toBe(0);
  });

  it('[Y5] counts a failed start as an exit', async () => {
    const fake = new FakePart();
    await fake.open();
    fake.failsToStart = true;
    await fake.ends('SIGKILL');
    for (let i = 0; i <= ENDS_MAX; i++) {
      fake.clock.advance(4000);
      await settled();
    }
    expect(fake.said.at(-1)).toMatch(/^The relay did not start \(no port\), 6 times/);
    expect(fake.hasGivenUp).toBe(true);
  });

  it('[Y5] is not restarted while the other parts stop', async () => {
    const fake = new FakePart();
    const supervised = await fake.open();
    fake.isEnding = true;
    await fake.ends('SIGINT');
    await supervised.stop();
    expect([fake.said, fake.starts, fake.clock.pending]).toEqual([[], 1, 0]);
  });

  it('[Y5] is not restarted if there is a reason not to', async () => {
    const fake = new FakePart();
    await fake.open();
    fake.final = 'Another agent has taken over.';
    await fake.ends('exit code 0');
    expect([fake.said, fake.hasGivenUp, fake.clock.pending]).toEqual([[fake.final], true, 0]);
  });

  it('[Y5] is not restarted once everything stops, and one that is starting is stopped', async () => {
    const fake = new FakePart();
    const supervised = await fake.open();
    let open: () => void = () => {};
    fake.gate = new Promise((resolve) => {
      open = resolve;
    });
    await fake.ends('SIGKILL');
    fake.clock.advance(0);
    const stopped = supervised.stop();
    open();
    await stopped;
    expect([fake.starts, fake.stopped, fake.clock.pending]).toEqual([2, [1], 0]);
  });
});

function interrupts(programs: readonly string[], echoes = false) {
  const clock = new FakeClock();
  const seen: string[] = [];
  const rule = new Interrupts({
    clock,
    echoes,
    programs: () => programs,
    ask: (names) => seen.push(`ask ${names.join(' ')}`),
    stop: () => seen.push('stop'),
  });
  return { clock, rule, seen };
}

describe('Ctrl-C', () => {
  it('[Y5] stops everything at once if only idle shells are running', () => {
    const { rule, seen } = interrupts([], true);
    rule.interrupt();
    rule.interrupt();
    expect(seen).toEqual(['stop']);
  });

  it('[Y5] names the programs that would end, and a second one within three seconds stops everything', () => {
    const { clock, rule, seen } = interrupts(['vim']);
    rule.interrupt();
    clock.advance(SECOND_WITHIN_MS - 1);
    expect(seen).toEqual(['ask vim']);
    rule.interrupt();
    expect(seen).toEqual(['ask vim', 'stop']);
    expect(clock.pending).toBe(0);
  });

  it('[Y5] asks again after three seconds', () => {
    const { clock, rule, seen } = interrupts(['vim']);
    rule.interrupt();
    clock.advance(SECOND_WITHIN_MS);
    rule.interrupt();
    expect(seen).toEqual(['ask vim', 'ask vim']);
  });

  it('[Y5] counts as one key press although npm passes its signal on', () => {
    const { rule, seen } = interrupts(['vim'], true);
    rule.interrupt();
    rule.interrupt();
    expect(seen).toEqual(['ask vim']);
    rule.interrupt();
    expect(seen).toEqual(['ask vim', 'stop']);
  });

  it('[Y5] asks even if npm does not pass the signal on', () => {
    const { clock, rule, seen } = interrupts(['vim'], true);
    rule.interrupt();
    expect(seen).toEqual([]);
    clock.advance(ECHO_WITHIN_MS);
    expect(seen).toEqual(['ask vim']);
  });

  it.each([
    [['vim'], 'vim is running in a terminal and would end. Press Ctrl-C again within 3 s to end everything.'],
    [
      ['vim', 'make', 'top', 'less', 'ssh'],
      'vim, make, top and 2 more are running in a terminal and would end. Press Ctrl-C again within 3 s to end everything.',
    ],
  ])('[Y5] the question for %j is one sentence', (programs, text) => {
    expect(question(programs)).toBe(text);
  });
});

function readLog(...chunks: readonly string[]) {
  const said: string[] = [];
  const log = new AgentLog((line) => said.push(line));
  for (const chunk of chunks) log.read(chunk);
  return { log, said };
}

const line = (fields: object) => `${JSON.stringify({ time: 'x', level: 'warn', ...fields })}\n`;

describe('the log of the agent in `npm start`', () => {
  it('[Y2] a failing connection is reported once with its reason, until the reason changes', () => {
    const waiting = line({
      event: 'link',
      state: 'waiting',
      code: CLOSE.unauthorized,
      reason: 'The token expired.',
    });
    const lost = line({ event: 'link', state: 'waiting', code: CLOSE.abnormal, reason: '' });
    const open = line({ event: 'link', state: 'open', level: 'info' });
    const { log, said } = readLog(waiting, waiting, lost, open, lost);
    expect(said).toEqual([
      'The agent is not connected: The token expired.',
      'The agent is not connected: The connection was lost.',
      'The agent is connected.',
      'The agent is not connected: The connection was lost.',
    ]);
    expect(log.trouble).toBe('The connection was lost.');
  });

  it('[Y5] no JSON is shown, even if a line arrives in parts', () => {
    const text = line({ event: 'no_agent_key', why: 'it is a directory' });
    const info = line({ event: 'stopping', level: 'info' });
    expect(readLog(text.slice(0, 9), text.slice(9), info, 'plain text\n').said).toEqual([
      'agent: no agent key why=it is a directory',
      'plain text',
    ]);
  });

  it('[Y5] reports that another agent took over', () => {
    expect(readLog(line({ event: 'link', state: 'closed', code: CLOSE.replaced })).log.isReplaced).toBe(true);
    expect(readLog(line({ event: 'link', state: 'closed', code: CLOSE.goingAway })).log.isReplaced).toBe(
      false,
    );
  });
});

describe('a slow start', () => {
  it.each([
    [
      'offline',
      'The token expired.',
      /^The agent is still not connected after 5 s: The token expired\. Waiting/,
    ],
    ['offline', null, /: it gave no reason\./],
    ['ECONNREFUSED', 'The connection was lost.', /: the relay gave an unexpected answer \(ECONNREFUSED\)\./],
  ])('[Y2] says why: %s, %s', (answer, trouble, sentence) => {
    expect(explanation(5, trouble, answer)).toMatch(sentence);
  });

  it.each([
    [{ SHELL: '/bin/no-shell', HOME: '/' }, /^No shell can start here\. .*"\/bin\/no-shell" does not exist/],
    [{ SHELL: '/bin/sh', HOME: '/no-home' }, /^No shell can start here\. .*"\/no-home" does not exist/],
  ])('[Y2] a shell that cannot start is reported before anything is started: %j', (env, sentence) => {
    expect(() => requireShell(env)).toThrow(sentence);
    expect(() => requireShell({ SHELL: '/bin/sh', HOME: '/' })).not.toThrow();
  });
});
