/** Scripts of an assistant and its keyboard. */
import { expect, it } from 'vitest';
import { AssistantKeyboard } from '../../../vm-agent/keyboard/keyboard.ts';
import { FakeClock } from '../../support/fake-clock.ts';

it('[A3] [AS4] the keyboard keeps scripts out, except those of the assistant that has it', () => {
  const keyboard = new AssistantKeyboard(new FakeClock(), () => {});
  expect(keyboard.isHeldFrom(undefined)).toBe(false);
  keyboard.enter({ id: 'codex', name: 'Codex' }, { granted: () => {}, takenOver: () => {} });
  expect([undefined, 'other', 'codex'].map((id) => keyboard.isHeldFrom(id))).toEqual([true, true, false]);
  keyboard.personTyped('Ada');
  expect(keyboard.isHeldFrom(undefined), 'a person has it').toBe(false);
});
