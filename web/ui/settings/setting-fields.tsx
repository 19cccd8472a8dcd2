/** The fields of the settings dialog. */
import type { ReactNode } from 'react';

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="settings-section">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly of: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

export function Choice<T extends string>({ label, of, value, onChange }: ChoiceProps<T>) {
  return (
    <label className="setting">
      <span>{label}</span>
      <select className="field" value={value} onChange={(event) => onChange(event.target.value as T)}>
        {Object.entries<string>(of).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckProps {
  readonly label: string;
  readonly is: boolean;
  readonly on: (is: boolean) => void;
}

export function Check({ label, is, on }: CheckProps) {
  return (
    <label className="setting">
      <span>{label}</span>
      <input type="checkbox" checked={is} onChange={(event) => on(event.target.checked)} />
    </label>
  );
}
