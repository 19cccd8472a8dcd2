/** React hook for the list of machines: it stays current, and what is done with them is told to the relay. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { JoinedMachine } from '../../../protocol/owner-answers.ts';
import { listMachines, type OwnerAnswer } from './owner-requests.ts';

export function useMachines(first: readonly JoinedMachine[]) {
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
  useOnReturn(refresh);

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

/** Whoever comes back has perhaps pasted the line of an invite in the meantime. */
function useOnReturn(refresh: () => Promise<void>): void {
  useEffect(() => {
    const onReturn = () => {
      if (document.visibilityState === 'visible') void refresh();
    };
    addEventListener('focus', onReturn);
    document.addEventListener('visibilitychange', onReturn);
    return () => {
      removeEventListener('focus', onReturn);
      document.removeEventListener('visibilitychange', onReturn);
    };
  }, [refresh]);
}
