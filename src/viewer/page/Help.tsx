import type { VNode } from "preact"
import { useEffect, useRef } from "preact/hooks"

const keys: ReadonlyArray<readonly [string, string]> = [
  ["j  k  ↓  ↑", "the next and the previous entry"],
  ["g  G", "the first and the last entry"],
  ["Enter", "open or close an entry"],
  ["e", "the next call that did not succeed"],
  ["/", "search"],
  ["n  N", "the next and the previous match"],
  ["f", "filters"],
  ["c", "copy a link to the entry"],
  ["t", "light or dark colours"],
  ["?", "these keys"],
  ["Esc", "close, or end the search"]
]

/** The keys of a page. */
export const Help = (props: { readonly isOpen: boolean; readonly close: () => void }): VNode => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (props.isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [props.isOpen])
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={props.close}>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {keys.map(([names, meaning]) => (
          <div>
            <dt>
              {names.split("  ").map((name) => (
                <kbd>{name}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="plain-button">
          Close
        </button>
      </form>
    </dialog>
  )
}
