/**
 * A client that was away while more was printed than the ring holds, so that the ring starts in the middle of a
 * character or sequence.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Beginning } from '../../client/screen.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { TerminalScreen } from '../support/terminal-screen.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

const RING_BYTES = 65_536;
const SIZE = { cols: 80, rows: 24 };
const THE_END = '\r\nthe-end';

/** Knows how much it was shown, and where it had to start again. */
class MeasuringScreen extends TerminalScreen {
  bytes = 0;
  readonly beginnings: { readonly had: number; readonly beginning: Beginning | undefined }[] = [];

  override write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.bytes += bytes.length;
    super.write(bytes, shown);
  }

  override reset(beginning?: Beginning): void {
    this.beginnings.push({ had: this.bytes, beginning });
    super.reset();
  }
}

/** Three times the ring of `unit`, such that the last ring starts `into` bytes into one of them. */
function overflowing(unit: Buffer, into: number): Buffer {
  const units = Buffer.alloc(Math.floor((3 * RING_BYTES) / unit.length) * unit.length, unit);
  const isCutThere = (filler: number) => {
    const end = units.length + filler + THE_END.length;
    return (end - RING_BYTES) % unit.length === into;
  };
  const filler = Array.from({ length: unit.length }, (_, i) => i).find(isCutThere);
  return Buffer.concat([units, Buffer.from(`${'.'.repeat(filler ?? 0)}${THE_END}`)]);
}

it.each([
  { what: 'a character of three bytes', unit: '漢', into: 1 },
  { what: 'a character of four bytes', unit: '👍', into: 3 },
  { what: 'a title', unit: '\x1b]2;not to be seen\x07zäh ', into: 9 },
  { what: 'a colour', unit: '\x1b[38;2;255;100;0mORANGE\x1b[0m ', into: 7 },
])(
  '[F17] [OU3] after three times the ring was printed, and the rest starts within $what, it knows exactly how much is lost and shows the same as everybody',
  async ({ unit, into }) => {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-overflow-'));
    const printed = overflowing(Buffer.from(unit), into);
    writeFileSync(join(dir, 'printed'), printed);
    await using world = await World.open({ agentFlags: ['--output-buffer-size', String(RING_BYTES)] });
    await using leg = await CuttingProxy.to(world.relay.url);
    const oracle = await world.client();
    const script = `stty raw -echo; printf ready; head -c 1 > /dev/null; cat ${dir}/printed; exec sleep 1000`;
    const watching = await oracle.open('sh', ['-c', script]);
    await watching.screen.sees(/ready/);
    const away = await world.client('operator', leg.url);
    const screen = new MeasuringScreen(SIZE);
    const session = away.client.attach(watching.id, SIZE, screen, { isNew: true });
    await screen.sees(/ready/);
    leg.down();
    typeInto(watching.session, '\n');
    await watching.screen.sees(/^the-end$/m);
    // A snapshot of everything: until the agent's own screen is ready, its queue still has what the ring has lost,
    // and nothing is missing.
    await oracle.client.snapshot(watching.id, 'text');
    leg.up();
    await screen.sees(/^the-end$/m);
    const [{ had, beginning } = { had: -1, beginning: undefined }] = screen.beginnings;
    expect(had).toBe('ready'.length);
    expect(beginning?.lost).toBe((beginning?.offset ?? 0) - had);
    expect(session.lostBytes).toBe(beginning?.lost);
    expect(session.lostBytes).toBeGreaterThan(RING_BYTES);
    const lines = (text: string) => text.split('\n').slice(-SIZE.rows);
    expect(lines(screen.text)).toEqual(lines(watching.screen.text));
    expect(screen.text).not.toMatch(/\ufffd|not to be seen|\]2|;100;0m/);
    rmSync(dir, { recursive: true });
  },
);
