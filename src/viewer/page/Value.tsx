import type { VNode } from "preact"
import { Recorded, TextBlock } from "./Text.tsx"

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value that a tool was given or gave back, as a person reads it. */
export const Value = (props: {
  readonly value: unknown
  readonly pattern: RegExp | undefined
  readonly label: string
}): VNode => {
  const { value, pattern, label } = props
  if (value === undefined || value === null || value === "") return <p class="quiet nothing">nothing</p>
  if (typeof value === "string") return <TextBlock text={value} pattern={pattern} label={label} />
  const content = contentText(value)
  if (content !== undefined) return <TextBlock text={content} pattern={pattern} label={label} />
  if (isFields(value)) return <FieldList fields={value} pattern={pattern} label={label} />
  return <TextBlock text={JSON.stringify(value, undefined, 2)} pattern={pattern} label={label} />
}

/** The text of content blocks, `[{type: "text", text}]`, when there is nothing else in them. */
const contentText = (value: unknown): string | undefined => {
  const blocks = Array.isArray(value)
    ? value
    : isFields(value) && Object.keys(value).length === 1
      ? value.content
      : value
  if (!Array.isArray(blocks) || blocks.length === 0) return undefined
  const texts = blocks.map((block) =>
    isFields(block) && block.type === "text" && typeof block.text === "string" ? block.text : undefined
  )
  return texts.every((text) => text !== undefined) ? texts.join("\n") : undefined
}

const FieldList = (props: {
  readonly fields: Fields
  readonly pattern: RegExp | undefined
  readonly label: string
}): VNode => {
  const entries = Object.entries(props.fields)
  if (entries.length === 0) return <p class="quiet nothing">nothing</p>
  return (
    <dl class="fields">
      {entries.map(([name, value]) => (
        <div class={isShort(value) ? "short" : "long"}>
          <dt>
            <Recorded text={name} pattern={props.pattern} />
          </dt>
          <dd>
            {isShort(value) ? (
              <code>
                <Recorded text={String(value)} pattern={props.pattern} />
              </code>
            ) : (
              <TextBlock
                text={
                  typeof value === "string" ? value : (contentText(value) ?? JSON.stringify(value, undefined, 2) ?? "")
                }
                pattern={props.pattern}
                label={`${props.label}, ${name}`}
                look={name === "old_string" ? "removed" : name === "new_string" ? "added" : "code"}
              />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const isShort = (value: unknown): boolean =>
  value === null ||
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "string" && value.length <= 100 && !value.includes("\n"))
