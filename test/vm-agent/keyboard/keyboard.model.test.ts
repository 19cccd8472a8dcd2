/** Any sequence of what can happen to a keyboard. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { KEYBOARD_HELD_MS, KEYBOARD_QUEUE_MAX } from '../../../protocol/limits.ts';
import { AssistantKeyboard, type KeyboardCall } from '../../../vm-agent/keyboard/keyboard.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { checkProperty } from '../../support/property.ts';

const ASSISTANTS = 12;
const who = fc.nat({ max: ASSISTANTS - 1 });
const step = fc.oneof(
  fc.record({ do: fc.constant('enter' as const), who }),
  fc.record({ do: fc.constant('leave' as const), which: fc.nat({ max: 40 }) }),
  fc.record({ do: fc.constant('gone' as const), who, runsOn: fc.boolean() }),
  fc.record({ do: fc.constant('join' as const), who, former: who }),
  fc.record({ do: fc.constant('types' as const) }),
  fc.record({ do: fc.constant('hands back' as const) }),
  fc.record({
    do: fc.constant('waits' as const),
    ms: fc.constantFrom(1, KEYBOARD_HELD_MS - 1, KEYBOARD_HELD_MS),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface ModelCall extends KeyboardCall {
  id: string;
  state: 'waits' | 'has it' | 'taken over' | 'left';
}

/** A keyboard, and what must be true of it whatever happens. */
class Story {
  readonly clock = new FakeClock();
  readonly keyboard = new AssistantKeyboard(this.clock, () => this.changes++);
  readonly calls: ModelCall[] = [];
  changes = 0;

  take(at: Step): void {
    switch (at.do) {
      case 'enter':
        return this.#enter(at.who);
      case 'join':
        return this.#join(at.who, at.former);
      case 'leave':
        return this.#leave(this.calls[at.which]);
      case 'gone':
        for (const call of this.#of(at.who)) call.state = 'left';
        return this.keyboard.gone(`${at.who}`, at.runsOn);
      case 'types':
        return this.#types();
      case 'hands back':
        return this.keyboard.handBack();
      case 'waits':
        return this.clock.advance(at.ms);
    }
  }

  check(): void {
    const having = this.calls.filter(({ state }) => state === 'has it');
    const holder = this.keyboard.holder;
    // Two never have it at once, and nobody has it unless people see that.
    expect(new Set(having.map(({ id }) => id)).size).toBeLessThanOrEqual(1);
    if (having.length > 0) expect(holder).toMatchObject({ kind: 'assistant' });
    // Nobody waits for a free keyboard, and not too many for another.
    const waiting = this.calls.filter(({ state }) => state === 'waits');
    if (holder === undefined) expect(waiting).toEqual([]);
    expect(waiting.length).toBeLessThanOrEqual(KEYBOARD_QUEUE_MAX);
    // Without a call, it does not stay as it is for longer than the time to hold it.
    if (holder !== undefined && having.length === 0) expect(this.clock.pending).toBe(1);
    else expect(this.clock.pending).toBe(0);
  }

  #enter(by: number): void {
    const call = this.#call(by);
    try {
      this.keyboard.enter({ id: call.id, name: 'x' }, call);
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      expect(call.state).toBe('waits');
      call.state = 'left';
    }
  }

  /** The assistant goes on under another id, with everything it had; a call that joins in vain waits for nothing. */
  #join(by: number, former: number): void {
    const call = this.#call(by);
    this.keyboard.join({ id: call.id, name: 'x' }, call, `${former}`);
    if (call.state === 'waits') call.state = 'left';
    else for (const one of this.#of(former)) if (one.state === 'has it') one.id = call.id;
  }

  #leave(call: ModelCall | undefined): void {
    if (call === undefined) return;
    call.state = 'left';
    this.keyboard.leave(call);
  }

  /** A person always wins. */
  #types(): void {
    const open = this.calls.filter(({ state }) => state === 'has it' || state === 'waits');
    this.keyboard.personTyped('Ann');
    expect(open.every(({ state }) => state === 'taken over')).toBe(true);
    expect(this.keyboard.isHeldFrom(undefined)).toBe(false);
  }

  #of(id: number): ModelCall[] {
    return this.calls.filter(
      (call) => call.id === `${id}` && (call.state === 'has it' || call.state === 'waits'),
    );
  }

  #call(id: number): ModelCall {
    const call: ModelCall = {
      id: `${id}`,
      state: 'waits',
      granted: () => {
        expect(call.state).toBe('waits');
        call.state = 'has it';
      },
      takenOver: () => {
        call.state = 'taken over';
      },
    };
    this.calls.push(call);
    return call;
  }
}

it('[A3] [AS4] is never with two assistants, and always with a person who types', () => {
  checkProperty(
    'keyboard',
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const story = new Story();
      for (const at of steps) {
        story.take(at);
        story.check();
      }
    }),
    { numRuns: 500 },
  );
});
