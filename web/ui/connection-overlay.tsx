/** Lies over a terminal that waits. The screen stays readable below, and typing goes on reaching it. */
export function ConnectionOverlay({ title, detail }: { readonly title: string; readonly detail: string }) {
  return (
    <div className="overlay" role="status">
      <div className="overlay-card">
        <span className="spinner" aria-hidden="true" />
        <div>
          <p className="overlay-title">{title}</p>
          {detail !== '' && <p className="overlay-detail">{detail}</p>}
        </div>
      </div>
    </div>
  );
}
