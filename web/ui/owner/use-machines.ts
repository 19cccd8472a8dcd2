/** React hook for the list of machines: it stays current, and what is done with them is told to the relay. */
import { useCallback, useEffect, useRef, useState } from 'react';
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

  const asked = useRef(0);
  const refresh = useCallback(async () => {
    asked.current++;
    const number = asked.current;
    const answer = await listMachines();
    // An older list may be answered later, and still has what was removed.
    if (number === asked.current) take(answer, setMachines);
  }, [take]);
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
