#pragma once

#include "lab/script_tokens.h"

namespace s3tug::lab {

/// Reads one action up to `;` or the end of the line into the faults.
void take_action(Tokens& tokens, Faults& all);

}  // namespace s3tug::lab
