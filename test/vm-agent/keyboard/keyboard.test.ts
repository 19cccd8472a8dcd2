/** Who has the keyboard of a session. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { KEYBOARD_HELD_MS, KEYBOARD_QUEUE_MAX } from '../../../protocol/limits.ts';
import { type Assistant, AssistantKeyboard } from '../../../vm-agent/keyboard/keyboard.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const CODEX: Assistant = { id: 'codex', name: 'Codex' };
const CLAUDE: Assistant = { id: 'claude', name: 'Claude' };

class Call {
  told: string[] = [];
  granted(): void {
    this.told.push('granted');
  }
  takenOver(by: string): void {
    this.told.push(`taken over by ${by}`);
  }
}

function desk() {
  const clock = new FakeClock();
  const shown: string[] = [];
  const keyboard = new AssistantKeyboard(clock, () => {
    const { kind, name } = keyboard.holder ?? { kind: 'free', name: '' };
    shown.push(`${kind} ${name}`.trim());
  });
  const enter = (assistant: Assistant) => {
    const call = new Call();
    keyboard.enter(assistant, call);
    return call;
  };
  return { clock, keyboard, shown, enter };
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return 'none';
}

describe('[A3] [AS4] a keyboard', () => {
  it('is given to the first assistant, and people see that', () => {
    const { keyboard, shown, enter } = desk();
    expect(enter(CODEX).told).toEqual(['granted']);
    expect(keyboard.holder).toMatchObject({ kind: 'assistant', name: 'Codex' });
    expect(shown).toEqual(['assistant Codex']);
  });

  it('is given to all calls of its holder, and to no call of another', () => {
    const { enter } = desk();
    enter(CODEX);
    expect(enter(CODEX).told).toEqual(['granted']);
    expect(enter(CLAUDE).told).toEqual([]);
  });

  it.each([
    ['not before', KEYBOARD_HELD_MS - 1, []],
    ['then', KEYBOARD_HELD_MS, ['granted']],
  ])('is free again 30 s after the last call of its holder: %s', (_, ms, told) => {
    const { clock, keyboard, enter } = desk();
    const first = enter(CODEX);
    const waiting = enter(CLAUDE);
    clock.advance(KEYBOARD_HELD_MS * 2);
    expect(waiting.told).toEqual([]);
    keyboard.leave(first);
    clock.advance(ms);
    expect(waiting.told).toEqual(told);
  });

  it('is kept by another call of its holder within that time', () => {
    const { clock, keyboard, enter } = desk();
    keyboard.leave(enter(CODEX));
    clock.advance(KEYBOARD_HELD_MS - 1);
    const second = enter(CODEX);
    clock.advance(KEYBOARD_HELD_MS);
    expect(keyboard.isHeldFrom(undefined)).toBe(true);
    keyboard.leave(second);
    clock.advance(KEYBOARD_HELD_MS);
    expect(keyboard.holder).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it(`has at most ${KEYBOARD_QUEUE_MAX} calls wait for it`, () => {
    const { clock, keyboard, enter } = desk();
    const first = enter(CODEX);
    const waiting = Array.from({ length: KEYBOARD_QUEUE_MAX }, (_, i) => enter({ id: `${i}`, name: 'x' }));
    expect(refusal(() => enter(CLAUDE))).toBe('keyboard_busy');
    keyboard.leave(waiting[3] as Call);
    expect(refusal(() => enter(CLAUDE))).toBe('none');
    keyboard.leave(first);
    clock.advance(KEYBOARD_HELD_MS);
    expect(waiting.map(({ told }) => told.length)).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('is given in turn, to everything that an assistant waits for at once', () => {
    const { clock, keyboard, enter } = desk();
    const first = enter(CODEX);
    const [a, other, b] = [enter(CLAUDE), enter({ id: 'third', name: 'T' }), enter(CLAUDE)];
    keyboard.leave(first);
    clock.advance(KEYBOARD_HELD_MS);
    expect([a?.told, b?.told, other?.told]).toEqual([['granted'], ['granted'], []]);
  });

  it("is a person's with their first key; whoever had it or waited for it is told", () => {
    const { keyboard, shown, enter } = desk();
    const calls = [enter(CODEX), enter(CODEX), enter(CLAUDE)];
    keyboard.personTyped('Ann');
    expect(calls.map(({ told }) => told.at(-1))).toEqual(Array(3).fill('taken over by Ann'));
    expect(keyboard.holder).toMatchObject({ kind: 'person', name: 'Codex' });
    expect(keyboard.isHeldFrom(undefined)).toBe(false);
    expect(refusal(() => enter(CODEX))).toBe('taken_over');
    expect(refusal(() => enter(CLAUDE))).toBe('taken_over');
    expect(shown).toEqual(['assistant Codex', 'person Codex']);
  });

  it('is not taken by a key while no assistant has it', () => {
    const { clock, keyboard, enter, shown } = desk();
    keyboard.personTyped('Ann');
    expect([keyboard.holder, shown, clock.pending]).toEqual([undefined, [], 0]);
    expect(enter(CODEX).told).toEqual(['granted']);
  });

  it('is free when the person hands it back', () => {
    const { keyboard, enter } = desk();
    enter(CODEX);
    keyboard.personTyped('Ann');
    keyboard.handBack();
    expect(enter(CLAUDE).told).toEqual(['granted']);
  });

  it('is free 30 s after the last key of the person', () => {
    const { clock, keyboard, enter } = desk();
    enter(CODEX);
    keyboard.personTyped('Ann');
    clock.advance(KEYBOARD_HELD_MS - 1);
    keyboard.personTyped('Ann');
    clock.advance(KEYBOARD_HELD_MS - 1);
    expect(refusal(() => enter(CODEX))).toBe('taken_over');
    clock.advance(1);
    expect(refusal(() => enter(CODEX))).toBe('none');
  });

  it('keeps scripts out that are not of its holder', () => {
    const { keyboard, enter } = desk();
    const held = () => [undefined, 'codex', 'claude'].map((id) => keyboard.isHeldFrom(id));
    expect(held()).toEqual([false, false, false]);
    enter(CODEX);
    expect(held()).toEqual([true, false, true]);
    keyboard.personTyped('Ann');
    expect(held()).toEqual([false, false, false]);
  });

  it('is not freed by handing it back while an assistant has it', () => {
    const { keyboard, enter } = desk();
    enter(CODEX);
    keyboard.handBack();
    expect(keyboard.isHeldFrom(undefined)).toBe(true);
  });

  it.each([
    ['is free when the connection of its holder ends', false, 'claude'],
    ['is kept for 30 s if that has a run that goes on', true, 'codex'],
  ])('%s', (_, runsOn, holder) => {
    const { clock, keyboard, enter } = desk();
    enter(CODEX);
    const waiting = enter(CLAUDE);
    keyboard.gone('codex', runsOn);
    expect(waiting.told.length === 1 ? 'claude' : 'codex').toBe(holder);
    clock.advance(KEYBOARD_HELD_MS);
    expect(waiting.told).toEqual(['granted']);
  });

  it('is not given to an assistant whose connection has ended', () => {
    const { clock, keyboard, enter } = desk();
    const first = enter(CODEX);
    const waiting = enter(CLAUDE);
    keyboard.gone('claude', false);
    keyboard.leave(first);
    clock.advance(KEYBOARD_HELD_MS);
    expect(waiting.told).toEqual([]);
  });

  it('is continued by the same assistant on another connection, and people see its new name', () => {
    const { clock, keyboard, shown, enter } = desk();
    enter(CODEX);
    keyboard.gone('codex', true);
    const again = new Call();
    keyboard.join({ id: 'new', name: 'Codex 2' }, again, 'codex');
    clock.advance(KEYBOARD_HELD_MS * 2);
    expect([again.told, keyboard.holder?.name]).toEqual([['granted'], 'Codex 2']);
    expect(shown).toEqual(['assistant Codex', 'assistant Codex 2']);
  });

  it('is not taken from another by joining, nor from a person', () => {
    const { keyboard, enter } = desk();
    enter(CLAUDE);
    const joining = new Call();
    keyboard.join(CODEX, joining, 'former');
    keyboard.personTyped('Ann');
    keyboard.join(CODEX, joining, 'former');
    expect(joining.told).toEqual([]);
    keyboard.handBack();
    keyboard.join(CODEX, joining, 'former');
    expect(joining.told).toEqual(['granted']);
  });
});
