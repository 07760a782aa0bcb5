/** Marks around matches: characters of private use, which no keyboard types and no markup knows. */
export const MARK_START = '\uE000';
export const MARK_END = '\uE001';

/** A piece of text, matched or not. */
export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** The pieces of a text with marks in it. Text stays text: nothing of a document is read as markup. */
export function piecesOf(marked: string): readonly Piece[] {
  return marked.split(MARK_START).flatMap((part, at) => {
    if (at === 0) return part === '' ? [] : [{ text: part, isMatch: false }];
    const end = part.indexOf(MARK_END);
    if (end === -1) return [{ text: part, isMatch: false }];
    const match = { text: part.slice(0, end), isMatch: true };
    const rest = part.slice(end + MARK_END.length);
    return rest === '' ? [match] : [match, { text: rest, isMatch: false }];
  });
}

/** A text with its matches marked. */
export function MarkedText({ text }: { text: string }) {
  return (
    <>
      {piecesOf(text).map((piece, at) =>
        piece.isMatch ? <mark key={at}>{piece.text}</mark> : <span key={at}>{piece.text}</span>,
      )}
    </>
  );
}
