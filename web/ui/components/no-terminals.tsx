/** What a window without tabs shows: it is not connected yet, there is nothing to watch, or the last tab was closed. */
import { useEffect, useRef } from 'react';
import type { ClientState } from '../../../client/workspace-client.ts';
import { ConnectionOverlay } from './connection-overlay.tsx';

interface EmptyProps {
  readonly isSettled: boolean;
  readonly mayManage: boolean;
  readonly trouble: string | null;
  readonly state: ClientState;
  readonly onNew: () => void;
  readonly onRetry: () => void;
}

export function EmptyStage({ isSettled, mayManage, onNew, onRetry, state, trouble }: EmptyProps) {
  if (trouble !== null) {
    return (
      <div className="empty">
        <p role="status">{trouble}</p>
        <button type="button" className="button button-primary" onClick={onRetry}>
          Try again
        </button>
      </div>
    );
  }
  if (!isSettled) {
    const isOffline = state.name === 'live' && state.agent.state === 'offline';
    return (
      <ConnectionOverlay
        title={isOffline ? 'The machine is offline' : 'Connecting…'}
        detail={isOffline ? 'A terminal opens as soon as it connects. Is the agent running there?' : ''}
      />
    );
  }
  return (
    <div className="empty">
      <p>{mayManage ? 'No terminal is open in this window.' : 'There is no terminal to view yet.'}</p>
      {mayManage && <OpenButton onOpen={onNew} />}
    </div>
  );
}

/** Takes the focus if the last terminal had it, so that Enter opens another one. */
function OpenButton({ onOpen }: { readonly onOpen: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) button.current?.focus();
  }, []);
  return (
    <button type="button" className="button button-primary" ref={button} onClick={onOpen}>
      Open a terminal
    </button>
  );
}
