/** React hook for the list of machines: it stays current, and what is done with them is told to the relay. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { FleetMachine } from '../../../protocol/owner-answers.ts';
import { listMachines, type OwnerAnswer } from './owner-requests.ts';
import { paced } from './paced-refresh.ts';
import { pageClock } from './page-clock.ts';
import { watchMachines } from './watch-machines.ts';

export function useMachines(first: readonly FleetMachine[]) {
  const [machines, setMachines] = useState(first);
  /** Any answer may say so. */
  const [isEnded, setEnded] = useState(false);
  const [sentence, setSentence] = useState('');
  const take = useCallback(<T>(answer: OwnerAnswer<T>, then: (value: T) => void) => {
    setSentence(answer.name === 'failed' ? answer.sentence : '');
    if (answer.name === 'ended') setEnded(true);
    if (answer.name === 'done') then(answer.value);
  }, []);

  const refresh = useMemo(() => newestOnly(listMachines, (answer) => take(answer, setMachines)), [take]);
  useEffect(() => {
    if (isEnded) return;
    const { ask, stop } = paced(refresh, pageClock);
    const stopWatching = watchMachines(ask, pageClock);
    return () => {
      stopWatching();
      stop();
    };
  }, [refresh, isEnded]);

  const isBusy = useRef(false);
  /** One thing at a time: whoever clicks twice means it once. */
  const act = async <T>(send: () => Promise<OwnerAnswer<T>>, then: (value: T) => void) => {
    if (isBusy.current) return;
    isBusy.current = true;
    const answer = await send();
    isBusy.current = false;
    take(answer, then);
  };
  return {
    machines,
    isEnded,
    sentence,
    act: <T>(send: () => Promise<OwnerAnswer<T>>, then: (value: T) => void) => void act(send, then),
    refresh: () => void refresh(),
  };
}

/** Takes no answer that comes after a newer question: an older list still has what was removed since. */
export function newestOnly<T>(ask: () => Promise<T>, take: (answer: T) => void): () => Promise<void> {
  let asked = 0;
  return async () => {
    asked++;
    const number = asked;
    const answer = await ask();
    if (number === asked) take(answer);
  };
}
