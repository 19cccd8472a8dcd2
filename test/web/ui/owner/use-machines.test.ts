import { expect, it } from 'vitest';
import { newestOnly } from '../../../../web/ui/owner/use-machines.ts';

it('[J2] an older list of machines that is answered later is not shown', async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
  const questions = answers.values();
  const taken: string[] = [];
  const refresh = newestOnly(
    () => questions.next().value?.promise ?? Promise.reject(new Error('asked too often')),
    (answer) => taken.push(answer),
  );
  const both = [refresh(), refresh()];
  answers[1].resolve('newer');
  await both[1];
  answers[0].resolve('older');
  await both[0];
  expect(taken).toEqual(['newer']);
});
