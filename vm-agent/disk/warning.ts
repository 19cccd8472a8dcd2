/** What the store has to say. Programs compare the code; people read the sentence. */
export interface StoreWarning {
  readonly code:
    | 'set_aside' // a file could not be used and lies in corrupt/
    | 'unreadable' // a session's directory could not be read at all, and was left as it is
    | 'failing' // output is not being saved; terminals go on
    | 'working' // … and now it is again
    | 'dropped'; // saved screens were deleted to stay within the quota
  readonly message: string;
}

export type Warn = (warning: StoreWarning) => void;
