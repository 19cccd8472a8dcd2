/** The agent is replaced while a program prints as fast as it can: its client goes on with the next byte. */
import { describe, expect, it } from 'vitest';
import type { Beginning, Screen } from '../../client/screen.ts';
import { agentOf, askForAgent } from '../support/kept-agent.ts';
import { hasProc } from '../support/needs-proc.ts';
import { typeInto } from '../support/type-into.ts';
import { BUILT_KEEPER, World } from '../support/world.ts';

const hasKeeper = hasProc && process.env.HOLDFAST_NO_KEEPER === undefined;
const SIZE = { cols: 80, rows: 24 };

/** Checks that numbered lines follow each other. */
class NumberedLines implements Screen {
  readonly restarts: Beginning[] = [];
  readonly wrong: string[] = [];
  isReady = false;
  next = 0;
  #rest = '';

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    const text = Buffer.from(bytes).toString('latin1');
    if (this.isReady) this.#check(text);
    else this.isReady = text.endsWith('ready');
    shown();
  }

  reset(beginning?: Beginning): void {
    if (this.isReady && beginning !== undefined) this.restarts.push(beginning);
  }

  resize(): void {}

  #check(text: string): void {
    const lines = (this.#rest + text).split('\r\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== `${this.next}`) this.wrong.push(`${line} where ${this.next} was due`);
      this.next = Number(line) + 1;
    }
  }
}

/** Counts what it is shown, and keeps the end of it. */
class Tail implements Screen {
  bytes = 0;
  text = '';

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.bytes += bytes.length;
    this.text = (this.text + Buffer.from(bytes).toString('latin1')).slice(-1_000);
    shown();
  }

  reset(): void {}
  resize(): void {}
}

/** More than the queue of a screen takes, so that the screen is far behind. */
const FLOOD_BYTES = 12 * 1024 * 1024;

describe.skipIf(!hasKeeper)('a flood', () => {
  it('[F27] [K1] [K2] goes on at the next byte when its agent is replaced', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const script = 'stty -echo; printf ready; read go; exec seq 0 1 100000000000';
    const { id } = await client.client.create({ ...SIZE, name: 'n', command: 'sh', args: ['-c', script] });
    const lines = new NumberedLines();
    const session = client.client.attach(id, SIZE, lines, { isNew: true });
    await expect.poll(() => lines.isReady).toBe(true);
    typeInto(session, '\n');
    for (let reload = 0; reload < 2; reload++) {
      const before = lines.next;
      await expect.poll(() => lines.next).toBeGreaterThan(before + 1_000);
      const agent = agentOf(world.agent.pid);
      const left = client.until(() => session.state.name === 'attaching');
      askForAgent(world.agent.pid);
      await left;
      await client.until(() => session.state.name === 'live');
      const after = lines.next;
      await expect.poll(() => lines.next).toBeGreaterThan(after + 1_000);
      expect(agentOf(world.agent.pid)).not.toBe(agent);
    }
    expect([lines.wrong.slice(0, 3), lines.restarts]).toEqual([[], []]);
  });

  it('[F26] [F27] [K1] leaves its screen and the modes from before it as they were', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    // Bracketed paste and application cursor keys, which nothing sets again.
    const script = `stty -echo; printf '\\033[?2004h\\033[?1hready'; read go; trap : INT; seq 0 1 100000000000; printf stopped; exec sleep 1000`;
    const { id } = await client.client.create({ ...SIZE, name: 'n', command: 'sh', args: ['-c', script] });
    const shown = new Tail();
    const session = client.client.attach(id, SIZE, shown, { isNew: true });
    await expect.poll(() => shown.text).toMatch(/ready$/);
    typeInto(session, '\n');
    for (const replace of [() => askForAgent(world.agent.pid), () => world.killAgent()]) {
      const before = shown.bytes;
      await expect.poll(() => shown.bytes).toBeGreaterThan(before + FLOOD_BYTES);
      const left = client.until(() => session.state.name === 'attaching');
      replace();
      await left;
      await client.until(() => session.state.name === 'live');
    }
    typeInto(session, '\x03');
    await expect.poll(() => shown.text).toMatch(/stopped/);
    using other = await world.client();
    const { screen } = other.attach(id);
    await screen.sees(/stopped$/);
    expect(screen.modes).toMatchObject({ bracketedPasteMode: true, applicationCursorKeysMode: true });
    const numbers = screen.text.split('\n').slice(1, -1).map(Number);
    expect(numbers.length).toBeGreaterThan(1_000);
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] as number) + at));
  });
});
