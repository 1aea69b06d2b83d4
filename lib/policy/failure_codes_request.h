#pragma once

#include "policy/failure_rows.h"

/// S3 error codes that mean: this request is wrong, and will be as wrong the next time. Ours to fix, never to repeat;
/// the host works. Those with a behaviour of their own come first, then the plain names, by what they complain about.
namespace s3tug::policy::table {

// Any range of an empty object, or a local part that is complete already: look at the size before judging.
inline constexpr auto range_outside = rows({C::client_bug, R::verify_first, E::unknown, spared}, 416, {"InvalidRange"});
// We always send a length, so there is nothing to mend on our side: something on the way dropped it.
inline constexpr auto length_missing =
    rows({C::client_bug, R::once_after_fix, E::not_applied, spared}, 411, {"MissingContentLength"});
// Belongs to a resumable-upload protocol that we do not speak (GCS).
inline constexpr auto other_protocol = rows({C::unknown, R::no, E::not_applied, spared}, 308, {"ResumeIncomplete"});

inline constexpr Behaviour our_mistake{C::client_bug, R::no, E::not_applied, spared};

inline constexpr auto mistakes_with_other_status = rows(our_mistake, {
                                                                         {"InvalidAddressingHeader", 0},
                                                                         {"InvalidChunkSizeError", 403},
                                                                         {"InvalidPartNumber", 416},
                                                                         {"RequestIsNotMultiPartContent", 412},
                                                                         {"UnprocessableEntity", 422},
                                                                         {"UnsupportedMediaType", 415},
                                                                     });

inline constexpr auto object_mistakes = rows(
    our_mistake, 400,
    {// The catch-alls: a dozen meanings each, the message tells.
     "InvalidArgument", "InvalidRequest", "BadRequest", "BadRequestException", "InvalidInput", "InvalidParameterValue",
     "InvalidAction",
     // Size and number: the plan was wrong, not the request.
     "EntityTooLarge", "EntityTooSmall", "TooManyParts", "InvalidPartOrder", "ExcessData",
     "InvalidMultiObjectDeleteRequest", "MaxMessageLengthExceeded", "MetadataTooLarge", "RequestHeaderSectionTooLarge",
     "InlineDataTooLarge",
     // Names.
     "InvalidBucketName", "InvalidObjectName", "InvalidKey", "KeyTooLong", "KeyTooLongError", "InvalidURI",
     "InvalidPrefix", "InvalidPrefixMarker", "InvalidTag", "UserKeyMustBeSpecified", "InvalidAccessPoint",
     "InvalidAccessPointAliasError", "InvalidLocationConstraint", "InvalidStorageClass", "InvalidAnnotationName",
     "AnnotationNameTooLong",
     // Headers and signatures that cannot be read.
     "InvalidDigest", "MissingContentMD5", "InvalidHeaderValue", "MalformedHeaderValue", "ExcessHeaderValues",
     "MissingHeaders", "MalformedDate", "InvalidHostHeader", "InvalidHttpMethod", "AuthorizationParametersError",
     "AuthorizationQueryParametersError", "IncompleteSignature", "MalformedSecurityHeader", "MissingSecurityElement",
     "MissingSecurityHeader", "CredentialsNotSupported", "InvalidDuration", "InvalidBucketOwnerAWSAccountID",
     "MalformedTrailerError",
     // Bodies that cannot be read.
     "MalformedXML", "MissingRequestBodyError", "UnexpectedContent", "MalformedACLError", "MalformedPolicy",
     "MalformedPolicyDocument", "InvalidPolicyDocument", "MalformedBucketConfiguration", "MissingFields",
     "InvalidSOAPRequest", "MissingAttachment",
     // Encryption and retention asked for in a way that the store does not take.
     "CustomerEncryptionAlgorithmIsInvalid", "CustomerEncryptionKeyFormatIsInvalid",
     "CustomerEncryptionKeySha256IsInvalid", "EncryptionNotAllowed", "EncryptionTypeMismatch",
     "InvalidEncryptionAlgorithmError", "ResourceNotEncryptedWithCustomerEncryptionKey", "InvalidRetentionPeriod",
     "InvalidLifecycleWithObjectLock",
     // Bucket settings, browser forms and billing, which we do not use.
     "AmbiguousGrantByEmailAddress", "IllegalVersioningConfigurationException", "IncorrectNumberOfFilesInPostRequest",
     "InvalidTargetBucketForLogging", "MalformedPOSTRequest", "MaxPostPreDataLengthExceededError",
     "NoLoggingStatusForKey", "RequestTorrentOfBucketError", "TagPolicyException", "UnresolvableGrantByEmailAddress",
     "UserProjectInconsistent", "UserProjectInvalid", "UserProjectMissing"});

// SelectObjectContent, an SQL dialect over objects. Not sent by us; the names make the table complete.
inline constexpr auto select_mistakes =
    rows(our_mistake, 400,
         {// Inputs, columns and types.
          "AmbiguousFieldName", "CSVEscapingRecordDelimiter", "CSVParsingError", "CSVUnescapedQuote", "CastFailed",
          "ColumnTooLong", "EmptyRequestBody", "ExpressionTooLong", "ExternalEvalException",
          "IllegalSqlFunctionArgument", "IncorrectSqlFunctionArgumentType", "IntegerOverflow", "InvalidCast",
          "InvalidColumnIndex", "InvalidCompressionFormat", "InvalidDataSource", "InvalidDataType",
          "InvalidExpressionType", "InvalidFileHeaderInfo", "InvalidJsonType", "InvalidKeyPath", "InvalidQuoteFields",
          "InvalidRequestParameter", "InvalidScanRange", "InvalidTableAlias", "InvalidTextEncoding", "JSONParsingError",
          "LexerInvalidChar", "LexerInvalidIONLiteral", "LexerInvalidLiteral", "LexerInvalidOperator",
          "LikeInvalidInputs", "MaxOperatorsExceeded", "MissingRequiredParameter", "MultipleDataSourcesUnsupported",
          "NumberFormatError", "ObjectSerializationConflict", "OverMaxColumn", "OverMaxParquetBlockSize",
          "OverMaxRecordSize", "ParquetParsingError", "ParquetUnsupportedCompressionCodec", "TruncatedInput",
          "UnrecognizedFormatException", "UnsupportedFunction", "UnsupportedParquetType", "UnsupportedRangeHeader",
          "UnsupportedScanRangeInput", "UnsupportedSqlOperation", "UnsupportedSqlStructure", "UnsupportedStorageClass",
          "UnsupportedSyntax", "UnsupportedTypeForQuerying", "ValueParseFailure",
          // Evaluation.
          "ErrEvaluatorBindingDoesNotExist", "EvaluatorBindingDoesNotExist", "EvaluatorInvalidArguments",
          "EvaluatorInvalidTimestampFormatPattern", "EvaluatorInvalidTimestampFormatPatternSymbol",
          "EvaluatorInvalidTimestampFormatPatternSymbolForParsing", "EvaluatorInvalidTimestampFormatPatternToken",
          "EvaluatorLikePatternInvalidEscapeSequence", "EvaluatorNegativeLimit",
          "EvaluatorTimestampFormatPatternDuplicateFields", "EvaluatorTimestampFormatPatternHourClockAmPmMismatch",
          "EvaluatorUnterminatedTimestampFormatPatternToken",
          // Parsing; two names are met in two spellings.
          "ParseAsteriskIsNotAloneInSelectList", "ParseCannotMixSqbAndWildcardInSelectList", "ParseCastArity",
          "ParseEmptySelect", "ParseExpected2TokenTypes", "ParseExpectedArgumentDelimiter", "ParseExpectedDatePart",
          "ParseExpectedExpression", "ParseExpectedIdentForAlias", "ParseExpectedIdentForAt",
          "ParseExpectedIdentForGroupName", "ParseExpectedKeyword", "ParseExpectedLeftParenAfterCast",
          "ParseExpectedLeftParenBuiltinFunctionCall", "ParseExpectedLeftParenValueConstructor", "ParseExpectedMember",
          "ParseExpectedNumber", "ParseExpectedRightParenBuiltinFunctionCall", "ParseExpectedTokenType",
          "ParseExpectedTypeName", "ParseExpectedWhenClause", "ParseInvalidContextForWildcardInSelectList",
          "ParseInvalidPathComponent", "ParseInvalidTypeParam", "ParseMalformedJoin", "ParseMissingIdentAfterAt",
          "ParseNonUnaryAggregateFunctionCall", "ParseNonUnaryAgregateFunctionCall", "ParseSelectMissingFrom",
          "ParseUnExpectedKeyword", "ParseUnexpectedKeyword", "ParseUnexpectedOperator", "ParseUnexpectedTerm",
          "ParseUnexpectedToken", "ParseUnknownOperator", "ParseUnsupportedAlias", "ParseUnsupportedCallWithStar",
          "ParseUnsupportedCase", "ParseUnsupportedCaseClause", "ParseUnsupportedLiteralsGroupBy",
          "ParseUnsupportedSelect", "ParseUnsupportedSyntax", "ParseUnsupportedToken"});

// Administration and replication of MinIO and Ceph. Not sent either.
inline constexpr auto admin_mistakes = rows(
    our_mistake, 400,
    {// Users, tenants, policies, replication.
     "InvalidCapability", "InvalidKeyType", "InvalidSecretKey", "InvalidTenantName", "LambdaARNInvalid",
     "OpenIDNotEnabled", "PolicyInvalidName", "PolicyTooLarge", "RemoteTargetNotVersionedError",
     "ReplicationDestinationMissingLockError", "ReplicationPermissionCheck", "ReplicationSourceNotVersionedError",
     "UnsupportedNotification",
     // MinIO only.
     "XMinioAdminBucketRemoteAlreadyExists", "XMinioAdminBucketRemoteLabelInUse", "XMinioAdminConfigBadJSON",
     "XMinioAdminConfigDuplicateKeys", "XMinioAdminConfigEnvOverridden", "XMinioAdminConfigIDPCfgNameAlreadyExists",
     "XMinioAdminConfigIDPCfgNameDoesNotExist", "XMinioAdminConfigInvalidIDPType",
     "XMinioAdminConfigLDAPNonDefaultConfigName", "XMinioAdminConfigLDAPValidation", "XMinioAdminConfigTooLarge",
     "XMinioAdminGroupDisabled", "XMinioAdminGroupNotEmpty", "XMinioAdminInvalidAccessKey",
     "XMinioAdminInvalidArgument", "XMinioAdminInvalidSecretKey", "XMinioAdminNoAccessKey", "XMinioAdminNoSecretKey",
     "XMinioAdminNoSuchConfigTarget", "XMinioAdminNotificationTargetsTestFailed",
     "XMinioAdminPolicyChangeAlreadyApplied", "XMinioAdminProfilerNotEnabled", "XMinioAdminRemoteARNTypeInvalid",
     "XMinioAdminRemoteArnInvalid", "XMinioAdminRemoteIdenticalToSource", "XMinioAdminRemoteRemoveDisallowed",
     "XMinioAdminRemoteTargetDenyAdd", "XMinioAdminReplicationBandwidthLimitError", "XMinioHealAlreadyRunning",
     "XMinioHealInvalidClientToken", "XMinioHealMissingBucket", "XMinioHealNoSuchProcess", "XMinioHealNotImplemented",
     "XMinioHealOverlappingPaths", "XMinioInsecureClientRequest", "XMinioInvalidDecompressedSize",
     "XMinioInvalidGroupName", "XMinioInvalidLifecycleParameter", "XMinioInvalidObjectName", "XMinioInvalidResource",
     "XMinioInvalidResourceName", "XMinioInvalidUTF", "XMinioLDAPExpectedLoginName", "XMinioMalformedJSON",
     "XMinioObjectExistsAsDirectory", "XMinioReplicationDenyEdit", "XMinioReplicationNoExistingObjects",
     "XMinioRequestBodyParse", "XMinioSiteReplicationConfigMissingError", "XMinioSiteReplicationIAMConfigMismatch",
     "XMinioSiteReplicationInvalidRequest", "XMinioSiteReplicationPeerResp"});

inline constexpr auto request_codes = join(range_outside, length_missing, other_protocol, mistakes_with_other_status,
                                           object_mistakes, select_mistakes, admin_mistakes);

}  // namespace s3tug::policy::table
