/** The owner's page: the machines of the relay, and what the owner can do with them. */
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { calledName } from '../../../protocol/machine-order.ts';
import type { FleetMachine } from '../../../protocol/owner-answers.ts';
import { LogoIcon } from '../elements/icons.tsx';
import { AuditDialog } from './audit-dialog.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { LinksDialog } from './links-dialog.tsx';
import { MachineList } from './machine-list.tsx';
import type { MachineAction } from './machine-row.tsx';
import { LoginEnded } from './owner-notices.tsx';
import { enterMachine, removeMachine, renameMachine, signOutOwner } from './owner-requests.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { useMachines } from './use-machines.ts';
import './owner-page.css';

interface Props {
  /** As they were when the page was opened. */
  readonly machines: readonly FleetMachine[];
  /** Takes another link when the login has ended. */
  readonly form: ReactNode;
  readonly onSignedOut: () => void;
}

export function OwnerPage({ machines: first, form, onSignedOut }: Props) {
  const { machines, isEnded, sentence, act, refresh } = useMachines(first);
  const { asked, ask, close } = useQuestion();
  const heading = useRef<HTMLHeadingElement>(null);
  const acting = useRef(act);
  acting.current = act;
  const onAction = useCallback(
    (action: MachineAction, machine: FleetMachine, button: HTMLElement) => {
      if (action !== 'open') return ask({ name: action, machine }, button);
      acting.current(
        () => enterMachine(machine.name),
        () => location.assign(`/w/${machine.name}`),
      );
    },
    [ask],
  );
  if (isEnded) return <LoginEnded form={form} />;
  const remove = ({ name }: FleetMachine) => {
    close();
    act(
      () => removeMachine(name),
      () => {
        // The button that had the focus goes with its row.
        heading.current?.focus();
        refresh();
      },
    );
  };
  const rename = ({ name }: FleetMachine, displayName: string | null) => {
    close();
    act(() => renameMachine(name, displayName), refresh);
  };
  return (
    <main className="owner">
      <Header onSignOut={() => act(signOutOwner, onSignedOut)} />
      <div className="owner-title">
        <h1 ref={heading} tabIndex={-1}>
          Machines
        </h1>
        <button
          type="button"
          className="button button-primary"
          onClick={(event) => ask({ name: 'invite' }, event.currentTarget)}
        >
          Invite a machine
        </button>
      </div>
      <p className="owner-problem" role="alert">
        {sentence}
      </p>
      {machines.length === 0 && <NoMachines />}
      <MachineList machines={machines} onAction={onAction} />
      <Questions asked={asked} onClose={close} onChanged={refresh} onRemove={remove} onRename={rename} />
    </main>
  );
}

interface QuestionsProps {
  readonly asked: Asked | null;
  readonly onClose: () => void;
  /** The list may be another, or the login has ended. */
  readonly onChanged: () => void;
  readonly onRemove: (machine: FleetMachine) => void;
  readonly onRename: (machine: FleetMachine, displayName: string | null) => void;
}

function Questions({ asked, onClose, onChanged, onRemove, onRename }: QuestionsProps) {
  if (asked === null) return null;
  if (asked.name === 'invite') {
    const closed = () => {
      onClose();
      onChanged();
    };
    return <InviteDialog onClose={closed} onEnded={onChanged} />;
  }
  const { machine } = asked;
  switch (asked.name) {
    case 'audit':
      return (
        <AuditDialog
          machine={machine.name}
          called={calledName(machine)}
          onClose={onClose}
          onEnded={onChanged}
        />
      );
    case 'links':
      return <LinksDialog machine={machine.name} called={calledName(machine)} onClose={onClose} />;
    case 'rename':
      return (
        <RenameDialog machine={machine} onRename={(name) => onRename(machine, name)} onCancel={onClose} />
      );
    case 'remove':
      return <RemoveDialog machine={machine} onRemove={() => onRemove(machine)} onCancel={onClose} />;
  }
}

function Header({ onSignOut }: { readonly onSignOut: () => void }) {
  return (
    <header className="owner-header">
      <p className="notice-product">
        <LogoIcon />
        Holdfast
      </p>
      <button type="button" className="button" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  );
}

function NoMachines() {
  return (
    <p className="owner-none">
      No machine has joined this relay yet. Choose <strong>Invite a machine</strong>, and paste the line that
      you get into a terminal of the machine.
    </p>
  );
}

type Asked =
  | { readonly name: 'invite' }
  | { readonly name: 'rename' | 'links' | 'audit' | 'remove'; readonly machine: FleetMachine };

/** The dialog that is open. When it closes, the button that opened it has the focus again. */
function useQuestion() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const opener = useRef<HTMLElement>(null);
  useEffect(() => {
    if (asked === null) opener.current?.focus();
  }, [asked]);
  const ask = useCallback((question: Asked, button: HTMLElement) => {
    opener.current = button;
    setAsked(question);
  }, []);
  return { asked, ask, close: () => setAsked(null) };
}
