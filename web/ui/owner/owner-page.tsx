/** The owner's page: the machines that have joined, and what the owner can do with them. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { JoinedMachine } from '../../../protocol/owner-answers.ts';
import { LogoIcon } from '../elements/icons.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MachineRow } from './machine-row.tsx';
import { LoginEnded } from './owner-notices.tsx';
import { enterMachine, removeMachine, signOutOwner } from './owner-requests.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { useMachines } from './use-machines.ts';
import './owner-page.css';

interface Props {
  /** As they were when the page was opened. */
  readonly machines: readonly JoinedMachine[];
  /** Takes another link when the login has ended. */
  readonly form: ReactNode;
  readonly onSignedOut: () => void;
}

export function OwnerPage({ machines: first, form, onSignedOut }: Props) {
  const { machines, isEnded, sentence, act, refresh } = useMachines(first);
  const { asked, ask, close } = useQuestion();
  const heading = useRef<HTMLHeadingElement>(null);
  if (isEnded) return <LoginEnded form={form} />;
  const remove = (name: string) => {
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
      <ul className="sessions" aria-label="Machines">
        {machines.map((machine) => (
          <MachineRow
            key={machine.name}
            machine={machine}
            onOpen={() =>
              act(
                () => enterMachine(machine.name),
                () => location.assign(`/w/${machine.name}`),
              )
            }
            onRemove={(button) => ask({ name: 'remove', machine: machine.name }, button)}
          />
        ))}
      </ul>
      {asked?.name === 'invite' && (
        <InviteDialog
          onClose={() => {
            close();
            refresh();
          }}
          onEnded={refresh}
        />
      )}
      {asked?.name === 'remove' && (
        <RemoveDialog name={asked.machine} onRemove={() => remove(asked.machine)} onCancel={close} />
      )}
    </main>
  );
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

type Asked = { readonly name: 'invite' } | { readonly name: 'remove'; readonly machine: string };

/** The dialog that is open. When it closes, the button that opened it has the focus again. */
function useQuestion() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const opener = useRef<HTMLElement>(null);
  useEffect(() => {
    if (asked === null) opener.current?.focus();
  }, [asked]);
  const ask = (question: Asked, button: HTMLElement) => {
    opener.current = button;
    setAsked(question);
  };
  return { asked, ask, close: () => setAsked(null) };
}
