/** Warnings of the state store. Programs compare the code; people read the message. */
export interface StoreWarning {
  readonly code:
    | 'set_aside' // a file was damaged and was moved to corrupt/
    | 'unreadable' // a session's directory could not be read, and was left as it is
    | 'failing' // output is not being saved; terminals keep working
    | 'working' // … and now it is saved again
    | 'dropped'; // saved screens were deleted to stay within the quota
  readonly message: string;
}

export type Warn = (warning: StoreWarning) => void;
