/** Ties one terminal on the page to one session of the workspace. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { WorkspaceClient } from '../client/workspace-client.ts';
import { SessionFlow } from './session-flow.ts';
import { SessionMemory } from './session-memory.ts';
import { coverOf, type TerminalCover } from './terminal-cover.ts';
import { XtermScreen } from './xterm-screen.ts';

export interface TerminalView {
  readonly name: string;
  readonly cover: TerminalCover;
}

export interface TerminalSession extends TerminalView {
  readonly host: RefObject<HTMLDivElement | null>;
  focus(): void;
  newTerminal(): void;
}

interface Running {
  readonly screen: XtermScreen;
  readonly flow: SessionFlow;
}

export function useTerminalSession(client: WorkspaceClient, workspace: string): TerminalSession {
  const host = useRef<HTMLDivElement>(null);
  const running = useRef<Running>(null);
  const [view, setView] = useState<TerminalView>({ name: '', cover: { kind: 'none' } });

  useEffect(() => {
    if (host.current === null) throw new Error('invariant: the terminal has no place on the page');
    const started = start(host.current, client, workspace, (next) =>
      // The client reports every acknowledged key; what looks the same is not drawn again.
      setView((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next)),
    );
    running.current = started;
    return () => {
      running.current = null;
      started.flow.stop();
      started.screen.dispose();
    };
  }, [client, workspace]);

  return {
    ...view,
    host,
    focus: () => running.current?.screen.focus(),
    newTerminal: () => {
      running.current?.flow.newTerminal();
      running.current?.screen.focus();
    },
  };
}

function start(
  host: HTMLElement,
  client: WorkspaceClient,
  workspace: string,
  show: (view: TerminalView) => void,
): Running {
  const changed = () => show(viewOf(client, flow));
  const screen = new XtermScreen(host, {
    typed: (bytes) => {
      flow.type(bytes);
      changed();
    },
    fitted: (size) => flow.fitted(size),
  });
  const memory = new SessionMemory(sessionStorage, workspace);
  const flow: SessionFlow = new SessionFlow({ client, screen, memory, size: screen.fitted, changed });
  flow.start();
  screen.focus();
  return { screen, flow };
}

function viewOf(client: WorkspaceClient, flow: SessionFlow): TerminalView {
  const { state } = flow;
  const session = state.name === 'attached' ? state.session : null;
  const situation = {
    client: client.state,
    flow: state.name,
    sentence: 'sentence' in state ? state.sentence : '',
    session: session?.state.name ?? null,
    returning: flow.returning,
    unsentBytes: session?.unsentBytes ?? 0,
    discardedBytes: session?.discardedBytes ?? 0,
  };
  return { name: flow.name, cover: coverOf(situation, new Date()) };
}
