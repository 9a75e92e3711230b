const list = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** English words that say nothing about what a text is about. */
export const stopWords: ReadonlySet<string> = new Set(
  list(`
    a an the this that these those and or nor but if then else so than as of to in on at by for from with into onto over after before under up
    down out off about between through during without within against again is are was were be been being am do does did doing done have has had
    having will would shall should can could may might must i me my mine myself we us our ours you your yours he him his she her hers it its
    they them their theirs who whom whose which what when where why how there here not no yes too very just also only own same such some any
    each every all both few more most other another many much now please let lets get got while until because since though although whether s t d ll re ve m don doesn didn isn wasn weren won
    couldn shouldn wouldn hasn haven hadn aren
  `)
)

/**
 * Stems of English words that requests to a coding agent hold whatever they are about, as termsOf gives them: to make them of the words costs a
 * hook milliseconds.
 */
export const requestTerms: ReadonlySet<string> = new Set(
  list(`
  pleas help want need try make us work run check look show tell explain write read add chang updat fix find do new again still also code file
  test function error bug issu problem thing wai question project someth anyth everyth know think see start stop set put give hello hi thank
  continu ok okai next last first on two sure like realli mayb actual current instead wrong right good bad safe fine better best old big small
  same differ happen caus reason decid decis choos hold place part onc twice todai yesterdai tomorrow week time dai alwai never ever alreadi
  later befor now often correct possibl abl keep sai call name line page remov delet creat move renam mean believ seem suggest recommend
  wonder learn rememb note list review sever certain whole full simpl easi hard quick fast slow nice great
`)
)

/** Forms of English words that a stemmer leaves apart from their base: `went` is asked for with `go`. */
const families = `
  become became|begin began begun|bend bent|bind bound|bite bit bitten|blow blew blown|break broke broken|bring brought|build built|buy bought
  catch caught|choose chose chosen|come came|deal dealt|dig dug|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
  feed fed|feel felt|fight fought|find found|fly flew flown|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|give gave given
  go went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|know knew known|lead led|leave left|lend lent|light lit
  lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought
  sell sold|send sent|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept
  speak spoke spoken|spend spent|split splits|spring sprang sprung|stand stood|steal stole stolen|stick stuck|strike struck|swim swam swum
  take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn
  win won|write wrote written|child children|person people|man men|woman women|wife wives|life lives|foot feet|tooth teeth|mouse mice|goose geese
  leaf leaves|knife knives|shelf shelves|half halves|index indices|matrix matrices|vertex vertices|schema schemata|datum data
`
export const baseForms: ReadonlyMap<string, string> = new Map(
  families.split(/[|\n]/).flatMap((family) => {
    const [base = "", ...forms] = family.trim().split(/\s+/)
    return forms.map((form) => [form, base] as const)
  })
)
