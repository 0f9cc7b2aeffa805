/** Owns waiting for the end of a word, so that not every letter is a request. */
import { useEffect, useState } from 'react';

const TYPING_MS = 150;

/** The text as it was when typing last rested. */
export function useSettledText(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
