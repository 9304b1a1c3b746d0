/// Mends the words that bash breaks before it asks for completions, in the script that ArgumentParser makes for it.
enum BashCompletion {
    /// bash breaks words at `:`, `@` and `=`, also within an id, and puts a backslash before what it has completed of
    /// them. So the words are put together again before the script looks at them, and the candidates are cut to the
    /// part that bash replaces.
    static func wholeWords(in script: String) -> String {
        let end = "complete -o filenames -F _trestle trestle"
        guard script.hasPrefix("#!/bin/bash"), script.hasSuffix(end) else { return script }
        return script.dropLast(end.count) + wrapper
    }

    private static let wrapper = #"""
        _trestle_whole_words() {
            local -r given="${2}"
            local -a whole=()
            local -i at="${COMP_CWORD}" index
            local rest="${COMP_LINE}" piece last='' before=''
            for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
                piece="${COMP_WORDS[index]}"
                if [[ "${index}" -gt 0 && "${rest}" != [[:space:]]* \
                    && ("${piece}" =~ ^[:@=]+$ || "${last}" =~ ^[:@=]+$) ]]; then
                    [[ "${index}" -eq "${COMP_CWORD}" ]] && before="${whole[-1]}"
                    whole[-1]+="${piece}"
                else
                    whole+=("${piece}")
                fi
                [[ "${index}" -eq "${COMP_CWORD}" ]] && at="${#whole[@]}-1"
                rest="${rest#"${rest%%[![:space:]]*}"}"
                rest="${rest#"${piece}"}"
                last="${piece}"
            done
            # bash leaves the beginning of the word at the cursor as it is: all but the part that it has given us.
            local current="${before}${COMP_WORDS[COMP_CWORD]}"
            if [[ "${current}" = *"${given}" ]]; then
                before="${current%"${given}"}"
            else
                current="${before}${given}"
            fi
            local -a COMP_WORDS=("${whole[@]//\\/}")
            local -i COMP_CWORD="${at}"
            before="${before//\\/}"
            local previous=''
            [[ "${at}" -gt 0 ]] && previous="${COMP_WORDS[at - 1]}"
            _trestle "${1}" "${current//\\/}" "${previous}"
            # A name is no file's: bash would put a backslash before a colon in it.
            local reply
            for reply in "${COMPREPLY[@]}"; do
                if [[ "${reply}" == *[:@]* && ! -e "${reply}" ]]; then compopt +o filenames 2>/dev/null; fi
            done
            COMPREPLY=("${COMPREPLY[@]#"${before}"}")
        }

        complete -o filenames -F _trestle_whole_words trestle
        """#
}
