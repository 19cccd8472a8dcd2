/** The output of one session, a screen that parses on request, and a record of what happened to it. */
import { expect } from 'vitest';
import { ClientOutput } from '../../client/client-output.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Frame } from '../../protocol/frame.ts';
import { FOLLOW_QUEUE_MAX_BYTES, PAYLOAD_MAX_BYTES, QUEUED_ITEM_BYTES } from '../../protocol/limits.ts';
import type { ServerMessageOf } from '../../protocol/messages/server-message.ts';
import { FakeClock } from '../support/fake-clock.ts';

export const bytes = (text: string) => new TextEncoder().encode(text);
export const SIZE = { cols: 80, rows: 24 };

export function viewer(
  shown?: number,
  painted?: () => Promise<void>,
  inflate = async (found: Uint8Array<ArrayBuffer>) => found,
  measures = false,
) {
  const clock = new FakeClock();
  const told: string[] = [];
  const held = { bytes: 0 };
  const owner = {
    isAttached: true,
    isListening: true,
    isQuick: false,
    keptUp: () => {},
    holds: (more: number) => {
      held.bytes += more;
    },
  };
  const parsing: (() => void)[] = [];
  const output = new ClientOutput(
    {
      write: (found, done) => {
        told.push(new TextDecoder().decode(found));
        if (owner.isQuick) done();
        else parsing.push(done);
      },
      reset: (beginning) => told.push(`reset ${JSON.stringify(beginning)}`),
      resize: ({ cols, rows }) => told.push(`size ${cols}×${rows}`),
      ...(measures ? { measure: (widths: string) => told.push(`widths ${widths}`) } : {}),
      ...(painted === undefined ? {} : { painted }),
    },
    {
      clock,
      inflate,
      holds: (more) => owner.holds(more),
      broken: (error) => told.push(`broken: ${error.message}`),
    },
    {
      isAttached: () => owner.isAttached,
      isListening: () => owner.isListening,
      acknowledge: (offset) => told.push(`ack ${offset}`),
      missed: () => told.push('missed'),
      caughtUp: (isNews) => told.push(isNews ? 'caught up, news' : 'caught up'),
      fellBehind: () => told.push('fell behind'),
      keptUp: () => {
        told.push('kept up');
        owner.keptUp();
      },
    },
    shown,
  );
  const frame = (
    kind: Frame['kind'],
    offset: number,
    payload: Uint8Array<ArrayBuffer>,
    wantsAck = false,
  ): void => output.receive({ kind, channel: 1, handle: 7, offset, payload, wantsAck });
  return {
    output,
    clock,
    owner,
    /** What the client was told about held memory. */
    held,
    /** What happened since this was last asked. */
    happened: () => told.splice(0),
    parses: () => {
      for (const done of parsing.splice(0)) done();
    },
    prints: (offset: number, text: string, wantsAck = false) =>
      frame('output', offset, bytes(text), wantsAck),
    sends: frame,
    announces: (about: Partial<ServerMessageOf<'scrollback'>>) =>
      output.replayBegins({
        type: 'scrollback',
        session: 's',
        handle: 7,
        kind: 'delta',
        from: 0,
        to: 0,
        lost: 0,
        bytes: 0,
        ...SIZE,
        ...about,
      }),
  };
}

export const settled = () => new Promise((resolve) => setImmediate(resolve));

export const PIECE = new Uint8Array(PAYLOAD_MAX_BYTES - QUEUED_ITEM_BYTES);
export const MOST_PIECES = FOLLOW_QUEUE_MAX_BYTES / PAYLOAD_MAX_BYTES + 1;

/** How often something can be sent before the limit. */
export function sentUntilRefused(send: (offset: number) => void): number {
  for (let times = 0; times < 10 * (FOLLOW_QUEUE_MAX_BYTES / QUEUED_ITEM_BYTES); times++) {
    try {
      send(times * PIECE.length);
    } catch (error) {
      expect(error).toBeInstanceOf(ProtocolError);
      return times;
    }
  }
  throw new Error('it is never too much');
}
