/** Output as events: offsets, characters, and when it is acknowledged. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../protocol/errors.ts';
import { FOLLOW_QUEUE_MAX_BYTES, PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import { readEventId, writeEventId } from '../../../worker/api/event-id.ts';
import { OutputEvents } from '../../../worker/api/output-events.ts';
import { checkProperty } from '../../support/property.ts';

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

function everything(events: OutputEvents) {
  const all = [];
  for (let next = events.take(); next !== undefined; next = events.take()) {
    next.taken();
    all.push(next.event);
  }
  return all;
}

describe('output events', () => {
  it('[R2] contain the whole text, however it is split, and every id says how much was sent', () => {
    const text = 'a€漢🦀é\n'.repeat(5);
    const raw = bytes(text);
    checkProperty(
      'output-events',
      fc.property(fc.array(fc.nat(raw.length)), fc.array(fc.boolean()), (cuts, takes) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), raw.length];
        const events = new OutputEvents('utf8', 100, () => 'e');
        const told = [];
        at.slice(1).forEach((end, i) => {
          events.write(raw.slice(at[i], end), () => {});
          if (takes[i]) told.push(...everything(events));
        });
        told.push(...everything(events));
        let sofar = '';
        for (const { data, offset } of told) {
          sofar += data.data;
          expect(offset).toBe(100 + bytes(sofar).length);
        }
        expect(sofar).toBe(text);
      }),
    );
  });

  it('[OU4] acknowledge output when it is read', () => {
    const events = new OutputEvents('utf8', 0, () => 'e');
    const shown: string[] = [];
    events.write(bytes('one'), () => shown.push('one'));
    events.write(bytes('two'), () => shown.push('two'));
    const next = events.take();
    expect(next?.event).toMatchObject({ name: 'data', data: { data: 'onetwo' }, offset: 6 });
    expect(shown).toEqual([]);
    next?.taken();
    expect(shown).toEqual(['one', 'two']);
    expect(events.take()).toBeUndefined();
  });

  it('[R2] wait for more while they are short and contain only output', () => {
    const events = new OutputEvents('utf8', 0, () => 'e');
    expect(events.hasMuch).toBe(false);
    events.write(bytes('x'.repeat(16 * 1024 - 1)), () => {});
    expect(events.hasMuch).toBe(false);
    events.write(bytes('x'), () => {});
    expect(events.hasMuch).toBe(true);
    everything(events);
    events.exited(0, null);
    expect(events.hasMuch).toBe(true);
  });

  it('[OU19] [RL23] report a screen as shown when it was read', () => {
    const events = new OutputEvents('utf8', 0, () => 'e');
    const shown: string[] = [];
    events.reset({ kind: 'snapshot', offset: 5, lost: 0 });
    events.resize({ cols: 80, rows: 24 });
    events.write(bytes('screen'), () => shown.push('screen'));
    const next = events.take();
    expect([next?.event.name, shown]).toEqual(['snapshot', []]);
    next?.taken();
    expect(shown).toEqual(['screen']);
  });

  it('[X2] [RL23] that nobody reads are kept up to a limit, which an agent that respects its window does not reach', () => {
    const events = new OutputEvents('utf8', 0, () => 'e');
    const piece = new Uint8Array(PAYLOAD_MAX_BYTES);
    for (let sent = 0; sent < FOLLOW_QUEUE_MAX_BYTES; sent += piece.length) events.write(piece, () => {});
    expect(() => events.write(new Uint8Array(1), () => {})).toThrow(ProtocolError);
    everything(events);
    expect(() => events.write(piece, () => {})).not.toThrow();
  });

  it('[R2] start again with a screen, with its size, its offset and what was lost', () => {
    const events = new OutputEvents('utf8', 0, () => 'e');
    events.write(Uint8Array.from([0xe2, 0x82]), () => {});
    events.reset({ kind: 'snapshot', offset: 500, lost: 498 });
    events.resize({ cols: 90, rows: 30 });
    events.write(bytes('screen'), () => {});
    events.write(bytes('more'), () => {});
    events.resize({ cols: 91, rows: 30 });
    expect(everything(events)).toMatchObject([
      {
        name: 'snapshot',
        data: { cols: 90, rows: 30, offset: 500, lost: 498 },
        screen: bytes('screen'),
        offset: 500,
      },
      { name: 'data', data: { data: 'more' }, offset: 504 },
      { name: 'resize', data: { cols: 91, rows: 30 }, offset: 504 },
    ]);
  });

  it('[R2] keep the epoch in which they were printed, whatever comes before they are sent', () => {
    let epoch = 'first';
    const events = new OutputEvents('base64', 0, () => epoch);
    events.write(bytes('old'), () => {});
    epoch = 'second';
    events.write(bytes('new'), () => {});
    events.exited(0, null);
    expect(everything(events).map((event) => [event.name, event.epoch])).toEqual([
      ['data', 'first'],
      ['data', 'second'],
      ['exit', 'second'],
    ]);
  });

  it('[R2] have ids that are read back, and other ids are refused', () => {
    for (const id of [
      { epoch: 'a_b-C', offset: 0, isFinal: false },
      { epoch: 'e', offset: 2 ** 53 - 1, isFinal: true },
    ]) {
      expect(readEventId(writeEventId(id))).toEqual(id);
    }
    for (const text of [
      'x',
      '.5',
      'e.',
      'e.-1',
      'e.9999999999999999',
      'e.1.done',
      'é.1',
      `${'e'.repeat(65)}.1`,
    ]) {
      expect(() => readEventId(text)).toThrow(/Last-Event-ID/);
    }
  });
});
